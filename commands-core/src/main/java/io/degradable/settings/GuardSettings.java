package io.degradable.settings;

import io.degradable.time.Spans;
import java.time.Duration;

/**
 * What stands around one body: where it runs, how long it may take, when it is left alone.
 *
 * @param bulkhead where it runs and how many at once
 * @param timeout from entering the bulkhead's queue to the answer; {@link #NO_TIMEOUT} for none
 * @param interruptOnTimeout whether the worker is interrupted when nobody waits for it any more
 * @param slowCall from which duration an answer counts as bad for the breaker; the timeout unless set
 * @param breaker when it is left alone
 */
public record GuardSettings(
        BulkheadSettings bulkhead,
        Duration timeout,
        boolean interruptOnTimeout,
        Duration slowCall,
        BreakerSettings breaker) {

    public static final Duration NO_TIMEOUT = Duration.ofNanos(Spans.FOREVER);

    /** For a body that only looks something up in memory. */
    public static final GuardSettings INLINE =
            new GuardSettings(new BulkheadSettings.Inline(), NO_TIMEOUT, false, NO_TIMEOUT, BreakerSettings.DISABLED);

    public GuardSettings {
        Require.positive("timeout", timeout);
        Require.positive("slowCall", slowCall);
        timeout = atMostForever(timeout);
        slowCall = atMostForever(slowCall);
        // A call must end while the window still looks at the time it began in, or the breaker sees it a window too
        // late.
        Require.that(
                !breaker.enabled() || timeout.equals(NO_TIMEOUT) || timeout.compareTo(breaker.window()) <= 0,
                "circuitBreaker.window of " + Require.text(breaker.window()) + " is shorter than the timeout of "
                        + Require.text(timeout));
    }

    private static Duration atMostForever(Duration limit) {
        return limit.compareTo(NO_TIMEOUT) > 0 ? NO_TIMEOUT : limit;
    }

    /** Whether the body runs on the thread of the caller, who then cannot leave before it ends. */
    public boolean runsOnCaller() {
        return bulkhead instanceof BulkheadSettings.Semaphore || bulkhead instanceof BulkheadSettings.Inline;
    }
}
