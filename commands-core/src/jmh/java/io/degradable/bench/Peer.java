package io.degradable.bench;

/** The paths that are compared, each set to the duties of {@link Work}. What has no such path throws. */
interface Peer extends AutoCloseable {

    /** Breaker, limit, window around a body that answers, on the caller's thread. */
    Object success() throws Exception;

    /** The same around a body that throws, then a static value. The breaker measures and does not open. */
    Object failureThenStatic() throws Exception;

    /** The same around a body that throws, then a copy out of Caffeine. */
    Object failureThenRead() throws Exception;

    /** The breaker is open, then a static value. */
    Object openThenStatic() throws Exception;

    /** The body on a pool of ten, waited for no longer than a second. */
    Object successOnPool() throws Exception;

    @Override
    void close();
}
