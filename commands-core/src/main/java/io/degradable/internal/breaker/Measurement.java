package io.degradable.internal.breaker;

import io.degradable.internal.window.InFlight;
import io.degradable.internal.window.LastCounts;
import io.degradable.internal.window.Tally;
import io.degradable.internal.window.Window;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitWindow;
import io.degradable.time.Lane;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;

/** What the calls of one phase have come to: those that ended by the window, those in flight by their start. */
final class Measurement {

    private static final int ENDS = 3; // GOOD, FAILED, SLOW

    private final CircuitBreaker breaker;
    private final Window ended;
    private final AtomicLong failuresInRow;
    private final long slowNanos;
    private final InFlight inFlight;

    Measurement(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        this(breaker, newWindow(tuning.settings(), nowNanos), new AtomicLong(), tuning, nowNanos);
    }

    private Measurement(
            CircuitBreaker breaker,
            Window ended,
            AtomicLong failuresInRow,
            CircuitBreaker.Tuning tuning,
            long nowNanos) {
        this.breaker = breaker;
        this.ended = ended;
        this.failuresInRow = failuresInRow;
        this.slowNanos = tuning.slowNanos();
        this.inFlight = new InFlight(slowNanos, tuning.settings().window(), nowNanos);
    }

    private static Window newWindow(BreakerSettings settings, long nowNanos) {
        return settings.countWindow() > 0
                ? new LastCounts(settings.countWindow())
                : new Tally(ENDS, settings.window(), settings.buckets(), nowNanos);
    }

    /**
     * With the same window, for calls that are slow from another time on. What is in flight now goes by the time that it
     * began under, and is looked for no more.
     */
    Measurement retuned(CircuitBreaker.Tuning tuning, long nowNanos) {
        return slowNanos == tuning.slowNanos()
                ? this
                : new Measurement(breaker, ended, failuresInRow, tuning, nowNanos);
    }

    boolean hasFiguresOf(Measurement other) {
        return ended == other.ended;
    }

    /** A call begins. Says whether it is time to look for slow ones in flight. */
    boolean admit(@Nullable Lane lane, long nowNanos) {
        return inFlight.enter(lane, nowNanos);
    }

    /** A call ends. */
    void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
        // Before its end is counted: for a moment it may not be seen, but never twice, which could open the breaker.
        inFlight.leave(lane, startNanos);
        if (verdict != Verdict.UNUSED) {
            ended.count(lane, verdict.ordinal(), nowNanos);
            if (verdict == Verdict.FAILED) {
                failuresInRow.incrementAndGet(); // a fence, too: see below
                return;
            }
            if (verdict == Verdict.SLOW) {
                // A lane counts with a bare write. Of two that do so at once, one has to see both when it asks
                // isTooBad.
                VarHandle.fullFence();
            }
            if (failuresInRow.get() != 0) { // most often it is: no need to write then
                failuresInRow.set(0);
            }
        }
    }

    /** By which rule the figures open a breaker; null when by none. Asked after each bad call, so it makes no object. */
    @Nullable
    Why isTooBad(long nowNanos) {
        long failed = ended.sum(Verdict.FAILED.ordinal(), nowNanos);
        long slow = ended.sum(Verdict.SLOW.ordinal(), nowNanos) + inFlight.overdue(nowNanos);
        long calls = ended.sum(Verdict.GOOD.ordinal(), nowNanos) + failed + slow;
        BreakerSettings settings = breaker.settings();
        return TripRule.isReached(settings, breaker.rates(), failed, slow, calls, failuresInRow.get())
                ? TripRule.judge(settings, figures(nowNanos))
                : null;
    }

    CircuitWindow figures(long nowNanos) {
        long[] ends = ended.sums(nowNanos);
        return new CircuitWindow(
                ends[Verdict.GOOD.ordinal()],
                ends[Verdict.FAILED.ordinal()],
                ends[Verdict.SLOW.ordinal()],
                Math.max(0, inFlight.overdue(nowNanos)),
                failuresInRow.get());
    }
}
