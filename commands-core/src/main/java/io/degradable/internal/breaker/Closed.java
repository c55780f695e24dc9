package io.degradable.internal.breaker;

import io.degradable.internal.window.RollingCounts;
import io.degradable.model.CircuitState;

/** Every call goes through and is measured. The phase is the permit of all its calls, so a healthy call allocates none. */
final class Closed implements Phase, Permit {

    private static final int GOOD = 0;
    private static final int BAD = 1;

    private final CircuitBreaker breaker;
    private final long sinceNanos;
    private final RollingCounts window;

    Closed(CircuitBreaker breaker, long nowNanos) {
        this.breaker = breaker;
        this.sinceNanos = nowNanos;
        this.window = new RollingCounts(2, breaker.settings.window(), breaker.settings.buckets(), nowNanos);
    }

    @Override
    public Permit tryAcquire(long nowNanos) {
        return this;
    }

    @Override
    public boolean wouldPermit(long nowNanos) {
        return true;
    }

    @Override
    public CircuitState state(long nowNanos) {
        return CircuitState.CLOSED;
    }

    @Override
    public long sinceNanos() {
        return sinceNanos;
    }

    long[] window(long nowNanos) {
        return window.sums(nowNanos);
    }

    @Override
    public void settle(Verdict verdict, long nowNanos) {
        if (verdict == Verdict.GOOD) {
            window.add(GOOD, 1, nowNanos);
        } else if (verdict == Verdict.BAD) {
            window.add(BAD, 1, nowNanos);
            if (trips(window.sum(GOOD, nowNanos), window.sum(BAD, nowNanos))) {
                breaker.open(this, 0, nowNanos);
            }
        }
    }

    private boolean trips(long good, long bad) {
        long measured = good + bad;
        return measured >= breaker.settings.requestVolumeThreshold()
                && bad * 100 >= measured * breaker.settings.errorThresholdPercentage();
    }
}
