package io.degradable.internal.breaker;

import io.degradable.internal.breaker.RampRule.Next;
import io.degradable.internal.window.InFlight;
import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitRamp;
import io.degradable.time.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;

/**
 * One step of the way from half-open to closed: a share of the calls goes through, counted off evenly, and decides together;
 * everybody else is refused. Each step is a phase of its own, so what an earlier one let through moves nothing here.
 *
 * <p>As in a closed phase the phase is the permit of all its calls. One that does not end in time counts as bad until it
 * does, so calls that hang or get lost fail the step; they take up no place, so they cannot keep it from being decided.
 */
final class Ramping implements Phase, Permit {

    private static final int FIELD_BITS = 21;
    private static final long FIELD = (1L << FIELD_BITS) - 1;

    /** Of the whole ramp: it goes on as it began, whatever the breaker is set to meanwhile. */
    private final BreakerSettings settings;

    private final CircuitBreaker breaker;
    private final Why why;
    private final int failedRounds;
    private final long sinceNanos;
    private final int step;
    private final List<Long> badBelow;
    private final AtomicLong asked;
    private final AtomicLong decisions; // good, failed and slow ones, a field each
    private final long limitNanos;
    private final InFlight inFlight;

    /** The first step. */
    Ramping(BreakerSettings settings, CircuitBreaker breaker, Why why, int failedRounds, long nowNanos) {
        this(
                settings,
                breaker,
                why,
                failedRounds,
                List.of(),
                nowNanos,
                new AtomicLong(),
                new AtomicLong(),
                breaker.tuning(),
                nowNanos);
    }

    private Ramping(
            BreakerSettings settings,
            CircuitBreaker breaker,
            Why why,
            int failedRounds,
            List<Long> badBelow,
            long sinceNanos,
            AtomicLong asked,
            AtomicLong decisions,
            CircuitBreaker.Tuning tuning,
            long nowNanos) {
        this.settings = settings;
        this.breaker = breaker;
        this.why = why;
        this.failedRounds = failedRounds;
        this.sinceNanos = sinceNanos;
        this.step = badBelow.size();
        this.badBelow = badBelow;
        this.asked = asked;
        this.decisions = decisions;
        // Calls of a ramp are lost like probes when their lease is over, and slow like those of a closed phase.
        this.limitNanos = Math.min(tuning.slowNanos(), tuning.leaseNanos());
        this.inFlight = new InFlight(limitNanos, settings.window(), nowNanos);
    }

    /** The step after those passed. */
    private Ramping step(List<Long> passed, Why reason, long nowNanos) {
        return new Ramping(
                settings,
                breaker,
                reason,
                failedRounds,
                List.copyOf(passed),
                sinceNanos,
                new AtomicLong(),
                new AtomicLong(),
                breaker.tuning(),
                nowNanos);
    }

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        if (!tuning.settings().enabled()) {
            return new Disabled(nowNanos);
        }
        return limitNanos == Math.min(tuning.slowNanos(), tuning.leaseNanos())
                ? this
                : new Ramping(
                        settings, breaker, why, failedRounds, badBelow, sinceNanos, asked, decisions, tuning, nowNanos);
    }

    @Override
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        if (!RampRule.admits(asked.getAndIncrement(), share())) {
            return null;
        }
        return inFlight.enter(nowNanos) && decide(decisions.get(), nowNanos) ? breaker.retry(lane, nowNanos) : this;
    }

    /** Only those who ask are counted off, so everybody may. */
    @Override
    public boolean wouldPermit(long nowNanos) {
        return true;
    }

    @Override
    public void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
        inFlight.leave(startNanos);
        if (verdict != Verdict.UNUSED) {
            decide(decisions.addAndGet(1L << (verdict.ordinal() * FIELD_BITS)), nowNanos);
        }
    }

    /** Leaves the step if the decisions so far allow it, and says whether they do. */
    private boolean decide(long made, long nowNanos) {
        long good = made & FIELD;
        long failed = (made >>> FIELD_BITS) & FIELD;
        long overdue = inFlight.overdue(nowNanos);
        long slow = (made >>> (2 * FIELD_BITS)) + overdue;
        int needed = settings.rampDecisions();
        Rates rates = Rates.ofRamp(settings);
        long below = step == 0 ? -1 : badBelow.get(step - 1);
        Next next = RampRule.next(rates, good, failed, slow, needed, below);
        if (next == Next.STAY) {
            return false;
        }
        long of = RampRule.of(good, failed, slow, needed);
        String note = "at a share of " + share() + " %" + (overdue > 0 ? ", " + overdue + " of them in flight" : "");
        if (next == Next.DOWN) {
            Why worse = new Why(Why.Rule.RAMP_WORSE, failed + slow, of, below, note);
            moveTo(badBelow.subList(0, step - 1), worse, nowNanos);
        } else if (next == Next.UP) {
            Why borne = new Why(Why.Rule.RAMP_GOOD, good, of, 0, note);
            List<Long> passed = new ArrayList<>(badBelow);
            passed.add(failed + slow);
            moveTo(passed, borne, nowNanos);
        } else {
            Why reached = rates.reached(failed, slow, of, note);
            breaker.open(this, failedRounds + 1, reached == null ? why : reached, nowNanos);
        }
        return true;
    }

    private void moveTo(List<Long> passed, Why reason, long nowNanos) {
        breaker.move(
                this,
                passed.size() == settings.rampShares().size()
                        ? new Closed(breaker, reason, nowNanos)
                        : step(passed, reason, nowNanos));
    }

    private int share() {
        return settings.rampShares().get(step);
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.RAMPING;
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
    public CircuitRamp ramp(long nowNanos) {
        long made = decisions.get();
        return new CircuitRamp(
                step + 1,
                settings.rampShares().size(),
                share(),
                made & FIELD,
                ((made >>> FIELD_BITS) & FIELD) + (made >>> (2 * FIELD_BITS)),
                inFlight.overdue(nowNanos),
                settings.rampDecisions());
    }
}
