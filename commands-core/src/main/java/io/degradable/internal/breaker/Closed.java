package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.state.CircuitWindow;
import io.degradable.time.Lane;
import javax.annotation.Nullable;

/** Every call goes through and is measured. The phase is the permit of all its calls, so a healthy call allocates none. */
final class Closed implements Phase, Permit {

    private final CircuitBreaker breaker;
    private final Why why;
    private final long sinceNanos;
    private final Measurement measured;

    Closed(CircuitBreaker breaker, Why why, long nowNanos) {
        this(breaker, why, nowNanos, breaker.newMeasurement(nowNanos));
    }

    private Closed(CircuitBreaker breaker, Why why, long sinceNanos, Measurement measured) {
        this.breaker = breaker;
        this.why = why;
        this.sinceNanos = sinceNanos;
        this.measured = measured;
    }

    /** Calls that it has let through are its own still, and are measured where those of the next one are. */
    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        if (!tuning.settings().enabled()) {
            return new Disabled(nowNanos);
        }
        Measurement tuned = measured.retuned(tuning, nowNanos);
        return tuned == measured ? this : new Closed(breaker, why, sinceNanos, tuned);
    }

    boolean hasFiguresOf(Measurement other) {
        return measured.hasFiguresOf(other);
    }

    @Override
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        // Where every call hangs nothing ends, so the rule is asked now and then when one begins.
        return measured.admit(lane, nowNanos) && opens(nowNanos) ? breaker.retry(lane, nowNanos) : this;
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return true;
    }

    @Override
    public void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
        measured.settle(lane, verdict, startNanos, nowNanos);
        if (verdict.isBad()) {
            opens(nowNanos);
        }
    }

    /** Opens the breaker if it is time, and says whether it is. */
    boolean opens(long nowNanos) {
        Why bad = measured.isTooBad(nowNanos);
        if (bad == null) {
            return false;
        }
        if (!breaker.open(this, 0, bad, nowNanos)) {
            breaker.openIfStill(measured, nowNanos);
        }
        return true;
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.CLOSED;
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
    public CircuitWindow window(long nowNanos) {
        return measured.figures(nowNanos);
    }
}
