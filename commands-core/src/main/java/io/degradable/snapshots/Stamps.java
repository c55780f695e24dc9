package io.degradable.snapshots;

import io.degradable.time.Ticker;

/** Stamps of other processes, in nanoseconds since 1970. */
final class Stamps {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private Stamps() {}

    static long now(Ticker ticker) {
        return ticker.epochMillis() * NANOS_PER_MILLI;
    }

    /** How long ago a stamp was, by the wall clock; below 0 when it lies in the future. */
    static long age(long epochNanos, Ticker ticker) {
        return now(ticker) - epochNanos;
    }
}
