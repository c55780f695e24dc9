package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.state.CircuitWindow;
import io.degradable.time.Lane;
import java.util.Optional;
import javax.annotation.Nullable;

/** Held closed by hand: every call goes through and is measured, to be looked at only. It asks for no move. */
final class ForcedClosed implements Phase, Permit {

    private final String by;
    private final long sinceNanos;
    private final Measurement measured;

    ForcedClosed(CircuitBreaker breaker, String by, long nowNanos) {
        this(by, nowNanos, breaker.newMeasurement(nowNanos));
    }

    private ForcedClosed(String by, long sinceNanos, Measurement measured) {
        this.by = by;
        this.sinceNanos = sinceNanos;
        this.measured = measured;
    }

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        Measurement tuned = measured.retuned(tuning, nowNanos);
        return tuned == measured ? this : new ForcedClosed(by, sinceNanos, tuned);
    }

    @Override
    public Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        measured.admit(lane, nowNanos);
        return this;
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return true;
    }

    @Override
    public void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
        measured.settle(lane, verdict, startNanos, nowNanos);
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.FORCED_CLOSED;
    }

    @Override
    public long sinceNanos(long nowNanos) {
        return sinceNanos;
    }

    @Override
    public Why why() {
        return Why.by(Why.Rule.FORCED, by);
    }

    @Override
    public CircuitWindow window(long nowNanos) {
        return measured.figures(nowNanos);
    }

    @Override
    public Optional<String> forcedBy() {
        return Optional.of(by);
    }
}
