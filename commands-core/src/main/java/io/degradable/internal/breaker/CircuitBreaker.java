package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.time.Spans;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import javax.annotation.Nullable;

/**
 * Leaves a dependency alone while it is ill, and finds out with a few probes when it is well.
 *
 * <pre>
 *   CLOSED ----- window full of bad calls ------------------&gt; OPEN
 *   OPEN ------- open time over, first call -----------------&gt; HALF_OPEN
 *   HALF_OPEN -- enough probes good --------------------------&gt; CLOSED
 *   HALF_OPEN -- too many probes bad or never reported -------&gt; OPEN, from the second such round on for longer
 * </pre>
 *
 * <p>The state is one immutable phase in one cell. Window, stamps and probes belong to the phase, and every move is a
 * compare-and-set from the phase that asks for it: of two threads that want to move, one does and the other's wish is void,
 * and a call that was let through by an earlier phase can only write into that phase's own figures.
 *
 * <p>Refusals of ours never enter the window. The pattern is Michael Nygard's ("Release It!").
 *
 * <p>Threading: every method may be called from any thread; none blocks.
 */
public final class CircuitBreaker {

    private static final VarHandle PHASE;

    static {
        try {
            PHASE = MethodHandles.lookup().findVarHandle(CircuitBreaker.class, "phase", Phase.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final BreakerSettings settings;
    private final long leaseNanos;
    private final DoubleSupplier jitter;
    private final LongAdder opened = new LongAdder();
    private volatile Phase phase;

    /**
     * A closed breaker.
     *
     * @param leaseNanos how long a probe may take before it counts as failed
     * @param nowNanos the moment the first window begins to fill
     */
    public CircuitBreaker(BreakerSettings settings, long leaseNanos, long nowNanos) {
        this(settings, leaseNanos, nowNanos, () -> ThreadLocalRandom.current().nextDouble());
    }

    // jitter, 0 to 1: which part of the jitter's tenth a grown open time is cut by
    CircuitBreaker(BreakerSettings settings, long leaseNanos, long nowNanos, DoubleSupplier jitter) {
        this.settings = settings;
        this.leaseNanos = leaseNanos;
        this.jitter = jitter;
        this.phase = settings.enabled() ? new Closed(this, nowNanos) : new Disabled(nowNanos);
    }

    /** A permit for one call, to be settled exactly once; null when the call must not be made. */
    public @Nullable Permit tryAcquire(long nowNanos) {
        return phase.tryAcquire(nowNanos);
    }

    /** Whether a call would be let through now. Takes no permit, so the answer may be outdated at once. */
    public boolean wouldPermit(long nowNanos) {
        return phase.wouldPermit(nowNanos);
    }

    /** Whether it lets every call through. */
    public boolean isClosed() {
        return phase instanceof Closed || phase instanceof Disabled;
    }

    /** What it does with calls now. An open time that is over reads as half-open, and so does nothing else. */
    public CircuitState state(long nowNanos) {
        return phase.state(nowNanos);
    }

    /** Since when it has been in this phase, as a reading of the ticker. */
    public long sinceNanos() {
        return phase.sinceNanos();
    }

    /** How much longer it stays open; 0 when it is not, or the next call is a probe. */
    public long openForNanos(long nowNanos) {
        return phase instanceof Open open ? Math.max(0, open.untilNanos - nowNanos) : 0;
    }

    /** Good and bad calls in the window of the closed phase; zeros in any other. */
    public long[] window(long nowNanos) {
        return phase instanceof Closed closed ? closed.window(nowNanos) : new long[2];
    }

    /** How often it has opened. */
    public long opened() {
        return opened.sum();
    }

    /** The one way to change the phase. A lost race is a no-op: somebody else has moved on from {@code from}. */
    boolean move(Phase from, Phase to) {
        return PHASE.compareAndSet(this, from, to);
    }

    /** Opens after {@code failedRounds} half-open rounds that failed since it was last closed. */
    void open(Phase from, int failedRounds, long nowNanos) {
        if (move(from, new Open(this, failedRounds, nowNanos, nowNanos + openNanos(failedRounds)))) {
            opened.increment();
        }
    }

    /** Asks the phase that stands now, after a move of ours or of another thread. */
    @Nullable
    Permit retry(long nowNanos) {
        return phase.tryAcquire(nowNanos);
    }

    long leaseNanos() {
        return leaseNanos;
    }

    private long openNanos(int failedRounds) {
        long first = Spans.nanos(settings.sleepWindow());
        if (failedRounds < 2) {
            return first; // exactly what was asked for: only grown times are spread
        }
        long longest = Spans.nanos(settings.maxSleepWindow());
        long grown = first;
        for (int doubling = 1; doubling < failedRounds && grown < longest; doubling++) {
            grown = Math.min(longest, grown * 2);
        }
        return Math.max(first, grown - (long) (grown * 0.1 * jitter.getAsDouble()));
    }
}
