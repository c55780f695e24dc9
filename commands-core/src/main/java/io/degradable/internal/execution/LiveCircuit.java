package io.degradable.internal.execution;

import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.state.Circuit;
import io.degradable.state.CircuitView;
import io.degradable.time.Ticker;
import java.util.Objects;

/** A breaker, for those who may hold it: as all that hands hold, it is an override. */
record LiveCircuit(CircuitBreaker breaker, Target target, Hands hands, Ticker ticker) implements Circuit {

    private static final String REASON = "by code";

    @Override
    public CircuitView explain() {
        return breaker.explain(ticker.nanos());
    }

    @Override
    public void forceOpen(String by) {
        hands.set(target, Position.FORCED_OPEN, order(by));
    }

    @Override
    public void forceClosed(String by) {
        hands.set(target, Position.FORCED_CLOSED, order(by));
    }

    @Override
    public boolean release(String by) {
        return hands.clear(target, order(by));
    }

    private static Order order(String by) {
        return Order.by(Objects.requireNonNull(by, "by must not be null"), REASON)
                .untilCleared();
    }
}
