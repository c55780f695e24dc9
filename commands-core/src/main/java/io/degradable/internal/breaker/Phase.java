package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.state.CircuitProbes;
import io.degradable.state.CircuitRamp;
import io.degradable.state.CircuitWindow;
import io.degradable.time.Lane;
import java.util.Optional;
import javax.annotation.Nullable;

/** One stretch in the life of a breaker, with everything that belongs to it. */
sealed interface Phase permits Closed, Open, HalfOpen, Ramping, ForcedOpen, ForcedClosed, Disabled {

    @Nullable
    Permit tryAcquire(@Nullable Lane lane, long nowNanos);

    boolean wouldPermit(long nowNanos);

    /** Books what only time has brought, and moves on if that decides. Whoever reads calls it first. */
    default void refresh(long nowNanos) {}

    /** What stands in its place once the breaker is set to something else; itself when that makes no difference to it. */
    Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos);

    CircuitState state(long nowNanos);

    /** Since when the state has been so. */
    long sinceNanos(long nowNanos);

    /** What the breaker was moved here by. */
    Why why();

    default long openForNanos(long nowNanos) {
        return 0;
    }

    default CircuitWindow window(long nowNanos) {
        return CircuitWindow.EMPTY;
    }

    default CircuitProbes probes(long nowNanos) {
        return CircuitProbes.NONE;
    }

    default CircuitRamp ramp(long nowNanos) {
        return CircuitRamp.NONE;
    }

    /** Half-open phases and ramps that have failed since the breaker was last closed. */
    default int failedRounds() {
        return 0;
    }

    default Optional<String> forcedBy() {
        return Optional.empty();
    }
}
