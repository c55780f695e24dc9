package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import javax.annotation.Nullable;

/** No call goes through. The first one after the open time turns the phase into a half-open one and is its first probe. */
final class Open implements Phase {

    private final CircuitBreaker breaker;
    private final int failedRounds;
    private final long sinceNanos;
    final long untilNanos;

    Open(CircuitBreaker breaker, int failedRounds, long sinceNanos, long untilNanos) {
        this.breaker = breaker;
        this.failedRounds = failedRounds;
        this.sinceNanos = sinceNanos;
        this.untilNanos = untilNanos;
    }

    @Override
    public @Nullable Permit tryAcquire(long nowNanos) {
        if (!isOver(nowNanos)) {
            return null;
        }
        // Whoever moves the phase gets no advantage: all who see the time over ask the half-open phase for a probe.
        breaker.move(this, new HalfOpen(breaker, failedRounds, nowNanos));
        return breaker.retry(nowNanos);
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
    public long sinceNanos() {
        return sinceNanos;
    }

    private boolean isOver(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }
}
