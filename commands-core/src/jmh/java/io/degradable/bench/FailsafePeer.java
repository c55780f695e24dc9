package io.degradable.bench;

import dev.failsafe.Bulkhead;
import dev.failsafe.CircuitBreaker;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.Fallback;
import dev.failsafe.Timeout;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Failsafe: fallback around breaker around bulkhead; on a pool, a timeout around them. */
final class FailsafePeer implements Peer {

    private final ExecutorService threads = Executors.newFixedThreadPool(Work.LIMIT);
    private final FailsafeExecutor<String> success;
    private final FailsafeExecutor<String> failure;
    private final FailsafeExecutor<String> read;
    private final FailsafeExecutor<String> open;
    private final FailsafeExecutor<String> onPool;

    FailsafePeer() {
        Fallback<String> template = Fallback.of(Work.TEMPLATE);
        success = Failsafe.with(template, breaker(Work.MINIMUM_CALLS), bulkhead());
        failure = Failsafe.with(template, breaker(Integer.MAX_VALUE), bulkhead());
        read = Failsafe.with(Fallback.of(Work::copy), breaker(Integer.MAX_VALUE), bulkhead());
        CircuitBreaker<String> isOpen = breaker(Work.MINIMUM_CALLS);
        isOpen.open();
        open = Failsafe.with(template, isOpen, bulkhead());
        onPool = Failsafe.with(template, Timeout.of(Work.TIMEOUT), breaker(Work.MINIMUM_CALLS), bulkhead())
                .with(threads);
    }

    private static CircuitBreaker<String> breaker(int minimumCalls) {
        return CircuitBreaker.<String>builder()
                .withFailureRateThreshold(Work.ERROR_PERCENTAGE, minimumCalls, Work.WINDOW)
                .withDelay(Work.OPEN_FOR)
                .build();
    }

    private static Bulkhead<String> bulkhead() {
        return Bulkhead.of(Work.LIMIT);
    }

    @Override
    public Object success() {
        return success.get(Work::answer);
    }

    @Override
    public Object failureThenStatic() {
        return failure.get(Work::fail);
    }

    @Override
    public Object failureThenRead() {
        return read.get(Work::fail);
    }

    @Override
    public Object openThenStatic() {
        return open.get(Work::fail);
    }

    @Override
    public Object successOnPool() throws Exception {
        return onPool.getAsync(Work::answer).get();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
