package io.degradable.internal.window;

import io.degradable.time.Lane;
import javax.annotation.Nullable;

/**
 * What is looked back at: how often each of several kinds has happened lately.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface Window {

    /**
     * Counts one of a kind, at a moment.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    void count(@Nullable Lane lane, int kind, long nowNanos);

    /** The counts of all kinds that the window holds now. */
    long[] sums(long nowNanos);

    /** The count of one kind that the window holds now. */
    long sum(int kind, long nowNanos);
}
