package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.time.Lane;
import javax.annotation.Nullable;

/**
 * No call goes through. The first one after the open time turns the phase into a half-open one and is its first probe.
 *
 * @param cut 0 to 1: which part of the jitter's tenth the open time is cut by, if that has grown. It is drawn once, and the
 *     time itself is what the settings say now
 */
record Open(CircuitBreaker breaker, Why why, int failedRounds, long fromNanos, double cut) implements Phase {

    @Override
    public @Nullable Permit tryAcquire(@Nullable Lane lane, long nowNanos) {
        if (!isOver(nowNanos)) {
            return null;
        }
        // Whoever moves the phase gets no advantage: all who see the time over ask the half-open phase for a probe.
        breaker.move(this, new HalfOpen(breaker, Why.OPEN_TIME_OVER, failedRounds, nowNanos));
        return breaker.retry(lane, nowNanos);
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return isOver(nowNanos);
    }

    @Override
    public CircuitState state(long nowNanos) {
        return isOver(nowNanos) ? CircuitState.HALF_OPEN : CircuitState.OPEN;
    }

    @Override
    public long sinceNanos(long nowNanos) {
        return isOver(nowNanos) ? untilNanos() : fromNanos;
    }

    @Override
    public long openForNanos(long nowNanos) {
        return Math.max(0, untilNanos() - nowNanos);
    }

    private boolean isOver(long nowNanos) {
        return nowNanos - untilNanos() >= 0;
    }

    private long untilNanos() {
        return fromNanos + breaker.openNanos(failedRounds, cut);
    }

    @Override
    public Phase retuned(CircuitBreaker breaker, CircuitBreaker.Tuning tuning, long nowNanos) {
        return tuning.settings().enabled() ? this : new Disabled(nowNanos);
    }
}
