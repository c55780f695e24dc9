package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import javax.annotation.Nullable;

/** One stretch in the life of a breaker, with everything that belongs to it. */
sealed interface Phase permits Closed, Open, HalfOpen, Disabled {

    @Nullable
    Permit tryAcquire(long nowNanos);

    boolean wouldPermit(long nowNanos);

    CircuitState state(long nowNanos);

    long sinceNanos();
}
