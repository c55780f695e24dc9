package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.time.Lane;
import javax.annotation.Nullable;

/** No breaker at all: every call goes through and nothing is measured. It is its own permit. */
record Disabled(long sinceNanos) implements Phase, Permit {

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        return tuning.settings().enabled() ? new Closed(breaker, Why.SWITCHED_ON, nowNanos) : this;
    }

    @Override
    public Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        return this;
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return true;
    }

    @Override
    public void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos) {
        // Nothing is measured.
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.DISABLED;
    }

    @Override
    public long sinceNanos(long nowNanos) {
        return sinceNanos;
    }

    @Override
    public Why why() {
        return Why.SWITCHED_OFF;
    }
}
