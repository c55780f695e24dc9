package io.degradable.internal.window;

import io.degradable.time.Spans;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * How many calls are in flight for longer than a limit, without a record for each: those that came less those that went, for
 * each stretch of time in which they came. A call is overdue once its whole stretch is older than the limit, which is never
 * too early and at most a twentieth of (limit + memory) late. It is forgotten when it has been overdue for as long as the
 * memory, so that one that got lost does no harm for ever.
 *
 * <p>Threading: every method may be called from any thread. Whoever leaves has entered.
 */
public final class InFlight {

    private static final int STRETCHES = 20;

    /** A limit that nobody lives to see is none; it also keeps the sums below from overflowing. */
    private static final long NO_LIMIT = Spans.FOREVER / 4;

    private final long limitNanos;
    private final @Nullable RollingCounts byStart;

    /**
     * Nobody in flight.
     *
     * @param limitNanos from when on a call is overdue
     * @param memory for how long it is remembered as overdue
     */
    public InFlight(long limitNanos, Duration memory, long nowNanos) {
        this.limitNanos = limitNanos;
        if (limitNanos >= NO_LIMIT) {
            this.byStart = null;
        } else {
            long stretch = (limitNanos + Spans.nanos(memory) + STRETCHES - 1) / STRETCHES;
            this.byStart = new RollingCounts(Duration.ofNanos(stretch * STRETCHES), STRETCHES, nowNanos);
        }
    }

    /** A call comes. Says whether it is the first of its stretch, which is a good moment to look for overdue ones. */
    public boolean enter(long startNanos) {
        return byStart != null && byStart.add(1, startNanos);
    }

    /** The call that came at a moment goes. */
    public void leave(long startNanos) {
        if (byStart != null) {
            byStart.add(-1, startNanos);
        }
    }

    /** Calls in flight for longer than the limit. */
    public long overdue(long nowNanos) {
        return byStart == null ? 0 : byStart.sumBefore(nowNanos - limitNanos, nowNanos);
    }
}
