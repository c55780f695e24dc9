package io.degradable.internal.execution;

import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.state.Circuit;
import io.degradable.state.CircuitView;
import io.degradable.time.Ticker;
import java.util.Objects;

/** A breaker, for those who may hold it. */
record LiveCircuit(CircuitBreaker breaker, Ticker ticker) implements Circuit {

    @Override
    public CircuitView explain() {
        return breaker.explain(ticker.nanos());
    }

    @Override
    public void forceOpen(String by) {
        breaker.forceOpen(Objects.requireNonNull(by, "by must not be null"), ticker.nanos());
    }

    @Override
    public void forceClosed(String by) {
        breaker.forceClosed(Objects.requireNonNull(by, "by must not be null"), ticker.nanos());
    }

    @Override
    public boolean release(String by) {
        return breaker.release(Objects.requireNonNull(by, "by must not be null"), ticker.nanos());
    }
}
