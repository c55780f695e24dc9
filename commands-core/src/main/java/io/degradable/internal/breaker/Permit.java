package io.degradable.internal.breaker;

import io.degradable.time.Lane;
import javax.annotation.Nullable;

/**
 * The right to make one call, from the phase of the breaker that granted it. Its holder settles it exactly once; a permit of
 * a phase that is over moves nothing.
 */
public interface Permit {

    /**
     * Gives the permit back with what was learned.
     *
     * @param lane what the calling thread holds; null when it holds none
     * @param startNanos the reading at which it was acquired
     */
    void settle(@Nullable Lane lane, Verdict verdict, long startNanos, long nowNanos);

    /** The same for who holds no lane. */
    default void settle(Verdict verdict, long startNanos, long nowNanos) {
        settle(null, verdict, startNanos, nowNanos);
    }
}
