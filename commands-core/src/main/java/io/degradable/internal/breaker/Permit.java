package io.degradable.internal.breaker;

/**
 * The right to make one call, from the phase of the breaker that granted it. Its holder settles it exactly once; a permit of
 * a phase that is over moves nothing.
 */
public interface Permit {

    /**
     * Gives the permit back with what was learned.
     *
     * @param startNanos the reading at which it was acquired
     */
    void settle(Verdict verdict, long startNanos, long nowNanos);
}
