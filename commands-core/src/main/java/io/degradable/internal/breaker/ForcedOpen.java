package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.time.Lane;
import java.util.Optional;
import javax.annotation.Nullable;

/** Held open by hand: no call goes through, however long. It asks for no move. */
record ForcedOpen(String by, long sinceNanos) implements Phase {

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        return this;
    }

    @Override
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        return null;
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return false;
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.FORCED_OPEN;
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
    public Optional<String> forcedBy() {
        return Optional.of(by);
    }
}
