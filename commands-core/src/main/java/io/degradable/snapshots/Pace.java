package io.degradable.snapshots;

import io.degradable.settings.Require;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;

/**
 * Lets somebody go no faster than a rate. Of the time in which he was slower, a hundredth of a second is made up for: a thread
 * that waits is always woken late. Not for several threads.
 */
final class Pace {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long MADE_UP_NANOS = 10_000_000;

    private final Ticker ticker;
    private final double nanosEach;
    private long nextNanos;

    /** A rate, above 0. */
    Pace(double perSecond, Ticker ticker) {
        Require.that(perSecond > 0, "records per second must be positive, was " + perSecond);
        this.ticker = ticker;
        this.nanosEach = NANOS_PER_SECOND / perSecond;
        this.nextNanos = ticker.nanos();
    }

    /** Counts some, and waits as long as they take. */
    void pass(long count) throws InterruptedException {
        long earliest = ticker.nanos() - MADE_UP_NANOS;
        long from = nextNanos - earliest < 0 ? earliest : nextNanos;
        nextNanos = from + (long) Math.min(count * nanosEach, Spans.FOREVER >> 1);
        while (ticker.nanos() - nextNanos < 0) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while keeping to its pace");
            }
            ticker.await(this, nextNanos);
        }
    }
}
