package io.degradable.cache;

import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * Turns readings of the ticker into stamps that other processes read, and their stamps into ages. The wall clock can be set;
 * then, for an hour at least, of the time before and the time after the one counts that makes a copy older, so that a step
 * makes no copy look younger than it is.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class WallClock {

    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    /** How close together two readings are that nothing came between. */
    private static final long CLOSE_NANOS = 20_000;

    private static final int RETRIES = 5;

    private final Ticker ticker;

    // Guarded by this: how far the wall clock was ahead of the ticker, at most and at least, in this hour and the last.
    private long turnNanos;
    private long highest;
    private long lowest;
    private long highestBefore;
    private long lowestBefore;

    WallClock(Ticker ticker) {
        this.ticker = ticker;
        long nowNanos = ticker.nanos();
        long ahead = ticker.epochNanos() - nowNanos;
        this.turnNanos = nowNanos + HOUR_NANOS;
        this.highest = ahead;
        this.lowest = ahead;
        this.highestBefore = ahead;
        this.lowestBefore = ahead;
    }

    private synchronized void look() {
        Reading reading = Reading.of(ticker);
        for (int again = 0; again < RETRIES && reading.takenNanos() > CLOSE_NANOS; again++) {
            reading = Reading.of(ticker); // whoever is held up in between would make everything look older for an hour
        }
        long nowNanos = reading.beforeNanos;
        if (nowNanos - turnNanos >= 0) {
            boolean longAgo = nowNanos - turnNanos >= HOUR_NANOS;
            highestBefore = longAgo ? reading.mostAhead() : highest;
            lowestBefore = longAgo ? reading.leastAhead() : lowest;
            highest = reading.mostAhead();
            lowest = reading.leastAhead();
            turnNanos = nowNanos + HOUR_NANOS;
        }
        highest = later(highest, reading.mostAhead());
        lowest = earlier(lowest, reading.leastAhead());
    }

    /** The wall clock, read between two readings of the ticker. */
    private record Reading(long beforeNanos, long epochNanos, long afterNanos) {

        static Reading of(Ticker ticker) {
            return new Reading(ticker.nanos(), ticker.epochNanos(), ticker.nanos());
        }

        long takenNanos() {
            return afterNanos - beforeNanos;
        }

        long mostAhead() {
            return epochNanos - beforeNanos;
        }

        long leastAhead() {
            return epochNanos - afterNanos;
        }
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
