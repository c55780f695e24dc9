package io.degradable.cache;

import java.time.Duration;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The part of one cache that lies outside of this process. Stamps are nanoseconds since 1970, by the wall clock of whoever
 * wrote them. The methods may block; the thread is interrupted when nobody waits any more.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface RemoteCache<K, V> {

    /**
     * What is there under a key, whatever its age.
     *
     * @return null when nothing is, or nothing that can be read: that is counted in {@link #unreadable}
     * @throws Exception when it could not be asked
     */
    @Nullable
    RemoteCopy<V> read(K key) throws Exception;

    /**
     * Keeps a copy, or the mark of an invalidation, unless something younger is there. An invalidation of the very moment of
     * a copy wins.
     *
     * @param expiry when it may be forgotten, from now
     * @return whether it was kept
     * @throws Exception when it could not be, or nobody knows
     */
    boolean write(K key, RemoteCopy<V> copy, Duration expiry) throws Exception;

    /** How often something was there that could not be taken for a copy of its key, by reason. The set of reasons is closed. */
    Map<String, Long> unreadable();
}
