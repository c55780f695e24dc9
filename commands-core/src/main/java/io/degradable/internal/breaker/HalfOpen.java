package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import javax.annotation.Nullable;

/**
 * A limited number of probes goes through and decides. All of them may be in flight at once; everybody else is refused.
 *
 * <p>A probe holds a lease. One that is not settled in time counts as failed, which whoever asks the breaker next finds out,
 * so a probe that hangs or gets lost can delay the decision but not prevent it. One that is handed back unused makes room
 * for another.
 */
final class HalfOpen implements Phase {

    private static final VarHandle PROBES;

    static {
        try {
            PROBES = MethodHandles.lookup().findVarHandle(HalfOpen.class, "probes", Probes.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The right to one probe. Its identity is what counts: a lease that the probes do not list any more is over. */
    final class Lease implements Permit {

        final long untilNanos;

        Lease(long untilNanos) {
            this.untilNanos = untilNanos;
        }

        @Override
        public void settle(Verdict verdict, long nowNanos) {
            expire(nowNanos);
            while (true) {
                Probes before = probes;
                Probes after = before.settled(this, verdict);
                if (after == before) {
                    return; // expired, or settled before
                }
                if (PROBES.compareAndSet(HalfOpen.this, before, after)) {
                    decide(after, nowNanos);
                    return;
                }
            }
        }
    }

    private final CircuitBreaker breaker;
    private final int failedRounds;
    private final long sinceNanos;
    private volatile Probes probes = Probes.NONE;

    HalfOpen(CircuitBreaker breaker, int failedRounds, long sinceNanos) {
        this.breaker = breaker;
        this.failedRounds = failedRounds;
        this.sinceNanos = sinceNanos;
    }

    @Override
    public @Nullable Permit tryAcquire(long nowNanos) {
        if (expire(nowNanos)) {
            return breaker.retry(nowNanos);
        }
        Lease lease = new Lease(nowNanos + breaker.leaseNanos());
        while (true) {
            Probes before = probes;
            if (decide(before, nowNanos)) {
                return breaker.retry(nowNanos); // over, though this thread read it before the move
            }
            if (before.granted() >= breaker.settings.probes()) {
                return null;
            }
            if (PROBES.compareAndSet(this, before, before.with(lease))) {
                return lease;
            }
        }
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        // As a read of the state: a lost probe must not keep out for ever those who ask before they try.
        return expire(nowNanos) ? breaker.wouldPermit(nowNanos) : probes.granted() < breaker.settings.probes();
    }

    @Override
    public CircuitState state(long nowNanos) {
        // Reading is asking: a lost probe is found out by a page that looks at the state, too.
        return expire(nowNanos) ? breaker.state(nowNanos) : CircuitState.HALF_OPEN;
    }

    @Override
    public long sinceNanos() {
        return sinceNanos;
    }

    /** Books overdue probes as failed, and says whether that ended this phase. */
    private boolean expire(long nowNanos) {
        while (true) {
            Probes before = probes;
            Probes after = before.expired(nowNanos);
            if (after == before) {
                return false;
            }
            if (PROBES.compareAndSet(this, before, after)) {
                return decide(after, nowNanos);
            }
        }
    }

    /** Leaves the phase if the probes so far allow it, and says whether they do. */
    private boolean decide(Probes figures, long nowNanos) {
        int needed = breaker.settings.neededProbes();
        if (figures.good() >= needed) {
            breaker.move(this, new Closed(breaker, nowNanos));
            return true;
        }
        if (figures.bad() > breaker.settings.probes() - needed) {
            breaker.open(this, failedRounds + 1, nowNanos);
            return true;
        }
        return false;
    }
}
