package io.degradable.cache;

import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * Turns readings of the ticker into stamps that other processes read, and their stamps into ages. The wall clock can be set;
 * then, for an hour, of the time before and the time after the one counts that makes a copy older, so that a step makes no
 * copy look younger than it is.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class WallClock {

    private static final long HALF_AN_HOUR_NANOS = TimeUnit.MINUTES.toNanos(30);

    private final Ticker ticker;

    // Guarded by this: how far the wall clock was ahead of the ticker, at most and at least, in this and the last half
    // hour.
    private long turnNanos;
    private long highest;
    private long lowest;
    private long highestBefore;
    private long lowestBefore;

    WallClock(Ticker ticker) {
        this.ticker = ticker;
        this.turnNanos = ticker.nanos() + HALF_AN_HOUR_NANOS;
        this.highest = ahead(ticker.nanos());
        this.lowest = highest;
        this.highestBefore = highest;
        this.lowestBefore = highest;
    }

    private long ahead(long nowNanos) {
        return TimeUnit.MILLISECONDS.toNanos(ticker.epochMillis()) - nowNanos;
    }

    private synchronized void look() {
        long nowNanos = ticker.nanos();
        long ahead = ahead(nowNanos);
        if (nowNanos - turnNanos >= 0) {
            boolean longAgo = nowNanos - turnNanos >= HALF_AN_HOUR_NANOS;
            highestBefore = longAgo ? ahead : highest;
            lowestBefore = longAgo ? ahead : lowest;
            highest = ahead;
            lowest = ahead;
            turnNanos = nowNanos + HALF_AN_HOUR_NANOS;
        }
        highest = later(highest, ahead);
        lowest = earlier(lowest, ahead);
    }

    // Both are readings of clocks with an arbitrary origin, so they are compared by their difference.

    private static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    private static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }

    /** The stamp of something that was true at a reading of the ticker: nanoseconds since 1970. */
    synchronized long stamp(long nanos) {
        look();
        return nanos + earlier(lowest, lowestBefore);
    }

    /** How old a stamp is at a reading of the ticker; negative when it lies in the future. */
    synchronized long ageNanos(long stampEpochNanos, long nowNanos) {
        look();
        long now = nowNanos + later(highest, highestBefore);
        long age = now - stampEpochNanos;
        // A stamp that somebody made up can be as far away as a long goes.
        boolean tooFar = ((now ^ stampEpochNanos) & (now ^ age)) < 0;
        return tooFar ? (stampEpochNanos < 0 ? Spans.FOREVER : -Spans.FOREVER) : age;
    }

    /** As {@link #ageNanos}, but no more than it can be. */
    synchronized long leastAgeNanos(long stampEpochNanos, long nowNanos) {
        look();
        return ageNanos(stampEpochNanos, nowNanos) - (later(highest, highestBefore) - earlier(lowest, lowestBefore));
    }
}
