package io.degradable.internal.window;

/**
 * What is looked back at: how often each of several kinds has happened lately.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface Window {

    /** Counts one of a kind, at a moment. */
    void count(int kind, long nowNanos);

    /** The counts of all kinds that the window holds now. */
    long[] sums(long nowNanos);
}
