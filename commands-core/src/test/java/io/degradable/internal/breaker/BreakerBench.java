package io.degradable.internal.breaker;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitView;
import io.degradable.testing.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A breaker on a ticker that the test moves. Its open times are not spread, its limit for slow calls is a second. */
final class BreakerBench {

    static final Duration LEASE = Duration.ofSeconds(2);
    static final Duration SLOW = Duration.ofSeconds(1);

    /** A permit, and when it was acquired. */
    record Held(Permit permit, long startNanos) {}

    final ManualTicker ticker = new ManualTicker();
    final CircuitBreaker breaker;

    BreakerBench(Breakers with) {
        this(with.settings());
    }

    BreakerBench(BreakerSettings settings) {
        this.breaker = new CircuitBreaker(settings, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos(), () -> 0);
    }

    Held acquire() {
        long now = ticker.nanos();
        Permit permit = breaker.tryAcquire(now);
        if (permit == null) {
            throw new AssertionError("refused: " + view());
        }
        return new Held(permit, now);
    }

    /** Asks so often and says how many were let through; each ends at once. */
    int ask(int calls, Verdict verdict) {
        int through = 0;
        for (int call = 0; call < calls; call++) {
            Permit permit = breaker.tryAcquire(ticker.nanos());
            if (permit != null) {
                through++;
                permit.settle(verdict, ticker.nanos(), ticker.nanos());
            }
        }
        return through;
    }

    /** Asks until so many were let through. */
    List<Held> hold(int calls) {
        List<Held> held = new ArrayList<>();
        for (int asked = 0; held.size() < calls; asked++) {
            if (asked > 100 * calls) {
                throw new AssertionError("refuses all: " + view());
            }
            Permit permit = breaker.tryAcquire(ticker.nanos());
            if (permit != null) {
                held.add(new Held(permit, ticker.nanos()));
            }
        }
        return held;
    }

    void settle(Held held, Verdict verdict) {
        held.permit.settle(verdict, held.startNanos, ticker.nanos());
    }

    void settle(List<Held> all, Verdict verdict) {
        all.forEach(held -> settle(held, verdict));
    }

    /** So many calls, one after the other. */
    void end(int calls, Verdict verdict) {
        for (int call = 0; call < calls; call++) {
            settle(hold(1), verdict);
        }
    }

    void advance(Duration span) {
        ticker.advance(span);
    }

    CircuitView view() {
        return breaker.explain(ticker.nanos());
    }

    CircuitState state() {
        return breaker.state(ticker.nanos());
    }

    /** Opens by the default rule, lets the open time go by, and passes the probes. */
    BreakerBench ramping() {
        end(breaker.settings().requestVolumeThreshold(), Verdict.FAILED);
        advance(view().opensFor());
        end(breaker.settings().neededProbes(), Verdict.GOOD);
        return this;
    }
}
