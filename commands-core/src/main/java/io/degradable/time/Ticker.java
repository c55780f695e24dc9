package io.degradable.time;

/**
 * The only reader of the JVM's clocks and the only owner of waiting with a limit. Everything that measures, ages, expires or
 * waits takes its time from here, so a test that moves the ticker moves all of it.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface Ticker {

    /** The ticker of production: {@link System#nanoTime()} for spans, the wall clock for stamps people read. */
    static Ticker system() {
        return SystemTicker.INSTANCE;
    }

    /**
     * A monotonic reading in nanoseconds with an arbitrary origin. Compare two readings by their difference only; a span
     * longer than 146 years cannot be expressed.
     */
    long nanos();

    /** Wall-clock milliseconds since 1970, for stamps that people or other processes read; never for measuring a span. */
    long epochMillis();

    /** The same clock as {@link #epochMillis}, as fine as it goes: nanoseconds since 1970. */
    default long epochNanos() {
        return epochMillis() * 1_000_000;
    }

    /**
     * Blocks the calling thread until it is unparked ({@link java.util.concurrent.locks.LockSupport#unpark}), it is
     * interrupted (the flag stays set), {@code untilNanos} is reached, or for no reason at all. Like
     * {@code LockSupport.parkNanos}, so callers ask again in a loop.
     *
     * @param blocker what the thread waits for, shown by thread dumps
     * @param untilNanos a reading of {@link #nanos()} after which the wait is over
     */
    void await(Object blocker, long untilNanos);

    /** A timer that goes by this ticker. Whoever asks for it closes it. */
    Timer newTimer(String name);
}
