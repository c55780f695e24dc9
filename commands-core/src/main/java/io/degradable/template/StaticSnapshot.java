package io.degradable.template;

import java.time.Instant;
import javax.annotation.Nullable;

/**
 * An export of many records that is in the process before it is needed, read by key: the last link of a chain for what one
 * template cannot say. Reading it asks nobody over the network, and takes the same time whether it holds ten records or a
 * million.
 *
 * <p>Threading: every method may be called from any thread; none waits.
 *
 * @param <K> the key, with all that tells records apart
 * @param <T> the record
 */
public interface StaticSnapshot<K, T> {

    /** How it is called in state and logs. */
    String name();

    /**
     * The record under a key, with the age of the snapshot that it came from. Both are of one snapshot, also while a newer
     * one takes its place.
     *
     * @return null when there is none under that key, or no snapshot
     * @throws Exception when the record is broken, or the key cannot be written
     */
    @Nullable
    Found<T> find(K key) throws Exception;

    /** What can be looked at. */
    View view();

    /**
     * A record.
     *
     * @param value never null
     * @param ageNanos the age of its snapshot, 0 or more: since the moment its building began, by the reader's ticker
     */
    record Found<T>(T value, long ageNanos) {}

    /**
     * A snapshot at one moment.
     *
     * @param name of the snapshot
     * @param version of what is in service, 1 or more; 0 when nothing is
     * @param createdAt when its building began, by the wall clock of whoever built it; null when there is nothing
     * @param ageNanos 0 or more, by the reader's ticker; -1 when there is nothing
     * @param records in service
     * @param bytes of its file
     * @param taken how many have been taken into service since the start
     * @param refused how many were found and not taken, since the start
     * @param lastRefusal why the last of them was not; null when none was refused
     */
    record View(
            String name,
            long version,
            @Nullable Instant createdAt,
            long ageNanos,
            long records,
            long bytes,
            long taken,
            long refused,
            @Nullable String lastRefusal) {}
}
