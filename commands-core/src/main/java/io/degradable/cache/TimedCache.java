package io.degradable.cache;

import java.time.Duration;

/**
 * Copies of earlier answers, each with the moment it was true. Reading never changes a stamp and never goes to the source.
 *
 * <p>Threading: every method may be called from any thread; operations on one key happen one after the other.
 */
public interface TimedCache<K, V> {

    /** The copy under {@code key} if it is at most {@code window} old now. */
    Lookup<V> read(K key, Duration window);

    /** As {@link #read}, and leaves no trace: the copy counts as used no more than before. */
    Lookup<V> peek(K key, Duration window);

    /**
     * Stores a copy unless a newer one is there or the key was invalidated after {@code copy} was true.
     *
     * @return whether it was stored
     */
    boolean put(K key, Timestamped<V> copy);

    /** Removes the copy; what was true before now is not stored any more. */
    void invalidate(K key);

    /** How many copies are held, estimated. */
    long size();

    /** How many copies were not stored because they were older than what was there. */
    long droppedPuts();
}
