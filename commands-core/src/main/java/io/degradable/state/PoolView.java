package io.degradable.state;

/**
 * A thread pool as it can be looked at while it works.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface PoolView {

    String name();

    /** The most threads it may have. */
    int size();

    /** Places for calls that wait. */
    int queue();

    /** Bodies that run now. */
    int active();

    /** Calls that wait now. */
    int queued();

    /** Threads alive now. */
    int threads();

    /** The most threads there have been at once. */
    int largestThreads();

    /** Bodies that ended, since the start. */
    long completed();
}
