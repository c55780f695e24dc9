package io.degradable.cache;

/**
 * Where copies are kept outside of this process: they survive it there, and other instances share them. The application
 * hands one to its container; the container puts its own memory in front, a pool, a time limit and a breaker around reading,
 * and a bounded queue before writing. Whoever made it closes it, after the container.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface RemoteCaches {

    /** How it is called in state, as {@code redis}. */
    String name();

    /**
     * The outer part of a cache. Called once for each {@linkplain CacheSpec#isStored() stored} cache of a container; it must
     * not block.
     */
    <K, V> RemoteCache<K, V> open(CacheSpec<K, V> spec);
}
