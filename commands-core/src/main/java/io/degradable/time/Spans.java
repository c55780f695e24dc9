package io.degradable.time;

import java.time.Duration;

/** Conversions between {@link Duration} (the public API) and nanoseconds (the inside), which never overflow. */
public final class Spans {

    /** Stands for "no limit": 146 years, short enough that adding it to a clock reading keeps differences meaningful. */
    public static final long FOREVER = 1L << 62;

    private Spans() {}

    /** The span in nanoseconds, cut to {@link #FOREVER} on either side of zero. */
    public static long nanos(Duration span) {
        // Seconds decide first: toNanos() throws above 292 years.
        long seconds = span.toSeconds();
        long limit = FOREVER / 1_000_000_000L;
        return seconds >= limit ? FOREVER : seconds <= -limit ? -FOREVER : span.toNanos();
    }

    /** Two spans one after the other, cut to {@link #FOREVER}. */
    public static long sum(long a, long b) {
        return b >= FOREVER - a ? FOREVER : a + b;
    }

    /** The earlier of two clock readings. */
    public static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }
}
