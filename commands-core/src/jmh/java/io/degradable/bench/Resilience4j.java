package io.degradable.bench;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.Callable;

/** resilience4j: breaker around bulkhead around the body; what they throw is caught by hand. */
final class Resilience4j implements Peer {

    private static final int COUNTED_CALLS = 100;

    private final Callable<String> success;
    private final Callable<String> failure;
    private final Callable<String> open;
    private final Callable<String> onPool;
    private final ThreadPoolBulkhead pool;

    static Peer countWindow() {
        return new Resilience4j(SlidingWindowType.COUNT_BASED, COUNTED_CALLS, false, false);
    }

    static Peer timeWindow() {
        return new Resilience4j(SlidingWindowType.TIME_BASED, (int) Work.WINDOW.toSeconds(), true, false);
    }

    static Peer metered() {
        return new Resilience4j(SlidingWindowType.COUNT_BASED, COUNTED_CALLS, false, true);
    }

    private Resilience4j(SlidingWindowType window, int size, boolean traces, boolean metered) {
        CircuitBreakerRegistry breakers = CircuitBreakerRegistry.of(CircuitBreakerConfig.custom()
                .slidingWindow(size, Work.MINIMUM_CALLS, window)
                .failureRateThreshold(Work.ERROR_PERCENTAGE)
                .waitDurationInOpenState(Work.OPEN_FOR)
                .writableStackTraceEnabled(traces)
                .build());
        BulkheadRegistry bulkheads = BulkheadRegistry.of(BulkheadConfig.custom()
                .maxConcurrentCalls(Work.LIMIT)
                .writableStackTraceEnabled(traces)
                .build());
        if (metered) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(breakers).bindTo(meters);
            TaggedBulkheadMetrics.ofBulkheadRegistry(bulkheads).bindTo(meters);
        }
        CircuitBreaker neverOpens = breakers.circuitBreaker("failure");
        neverOpens.transitionToMetricsOnlyState(); // measures as if closed: in a window of calls nothing else stays
        // closed
        CircuitBreaker isOpen = breakers.circuitBreaker("open");
        isOpen.transitionToOpenState();
        success = guarded(breakers.circuitBreaker("success"), bulkheads.bulkhead("success"), Work.ANSWERS);
        failure = guarded(neverOpens, bulkheads.bulkhead("failure"), Work.FAILS);
        open = guarded(isOpen, bulkheads.bulkhead("open"), Work.FAILS);

        pool = ThreadPoolBulkhead.of(
                "pool",
                ThreadPoolBulkheadConfig.custom()
                        .coreThreadPoolSize(Work.LIMIT)
                        .maxThreadPoolSize(Work.LIMIT)
                        .queueCapacity(Work.LIMIT)
                        .build());
        TimeLimiter timeLimiter = TimeLimiter.of(Work.TIMEOUT);
        onPool = CircuitBreaker.decorateCallable(
                breakers.circuitBreaker("on-pool"),
                () -> timeLimiter.executeFutureSupplier(
                        () -> pool.submit(Work.ANSWERS).toCompletableFuture()));
    }

    private static Callable<String> guarded(CircuitBreaker breaker, Bulkhead bulkhead, Callable<String> body) {
        return CircuitBreaker.decorateCallable(breaker, Bulkhead.decorateCallable(bulkhead, body));
    }

    @Override
    public Object success() throws Exception {
        return success.call();
    }

    @Override
    public Object failureThenStatic() {
        try {
            return failure.call();
        } catch (Exception broken) {
            return Work.TEMPLATE;
        }
    }

    @Override
    public Object failureThenRead() {
        try {
            return failure.call();
        } catch (Exception broken) {
            return Work.copy();
        }
    }

    @Override
    public Object openThenStatic() {
        try {
            return open.call();
        } catch (Exception refused) {
            return Work.TEMPLATE;
        }
    }

    @Override
    public Object successOnPool() throws Exception {
        return onPool.call();
    }

    @Override
    public void close() {
        try {
            pool.close();
        } catch (Exception mistake) {
            throw new IllegalStateException(mistake);
        }
    }
}
