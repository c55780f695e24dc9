package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitProbes;
import io.degradable.time.Lane;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
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
        public void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
            refresh(nowNanos);
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
    private final Why why;
    private final int failedRounds;
    private final long sinceNanos;
    private volatile Probes probes = Probes.NONE;

    HalfOpen(CircuitBreaker breaker, Why why, int failedRounds, long sinceNanos) {
        this.breaker = breaker;
        this.why = why;
        this.failedRounds = failedRounds;
        this.sinceNanos = sinceNanos;
    }

    @Override
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        while (true) {
            Probes before = undecided(nowNanos);
            if (before == null) {
                return breaker.retry(lane, nowNanos);
            }
            if (before.granted() >= breaker.settings().probes()) {
                return null;
            }
            Lease lease = new Lease(nowNanos + breaker.leaseNanos());
            if (PROBES.compareAndSet(this, before, before.with(lease))) {
                return lease;
            }
        }
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return probes.granted() < breaker.settings().probes();
    }

    /** Reading is asking: a lost probe is found out by who looks at the state, or whether a call may go, too. */
    @Override
    public void refresh(long nowNanos) {
        undecided(nowNanos);
    }

    /**
     * Books overdue probes as failed. The probes now; null if they have decided, and then this phase is left. One that
     * another thread has decided and not left yet is left here, or a reader could see a state that no moment has had.
     */
    private @Nullable Probes undecided(long nowNanos) {
        while (true) {
            Probes before = probes;
            Probes after = before.expired(nowNanos);
            if (after == before || PROBES.compareAndSet(this, before, after)) {
                return decide(after, nowNanos) ? null : after;
            }
        }
    }

    /** Leaves the phase if the probes so far allow it, and says whether they do. */
    private boolean decide(Probes figures, long nowNanos) {
        BreakerSettings settings = breaker.settings(); // once: another number of probes goes with another one needed
        int all = settings.probes();
        int needed = settings.neededProbes();
        if (figures.good() >= needed) {
            breaker.recover(this, new Why(Why.Rule.PROBES_GOOD, figures.good(), all, needed, ""), nowNanos);
            return true;
        }
        if (figures.bad() > all - needed) {
            Why bad = new Why(Why.Rule.PROBES_BAD, figures.bad(), all, needed, "");
            breaker.open(this, failedRounds + 1, bad, nowNanos);
            return true;
        }
        return false;
    }

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        return tuning.settings().enabled() ? this : new Disabled(nowNanos);
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.HALF_OPEN;
    }

    @Override
    public long sinceNanos(long nowNanos) {
        return sinceNanos;
    }

    @Override
    public Why why() {
        return why;
    }

    @Override
    public int failedRounds() {
        return failedRounds;
    }

    @Override
    public CircuitProbes probes(long nowNanos) {
        Probes now = probes;
        BreakerSettings settings = breaker.settings();
        return new CircuitProbes(
                now.inFlight().size(),
                now.good(),
                now.bad(),
                settings.neededProbes(),
                settings.probes(),
                Duration.ofNanos(now.nextExpiry(nowNanos)));
    }
}
