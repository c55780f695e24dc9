package io.degradable.bench;

import com.netflix.hystrix.Hystrix;
import com.netflix.hystrix.HystrixCommand;
import com.netflix.hystrix.HystrixCommandGroupKey;
import com.netflix.hystrix.HystrixCommandKey;
import com.netflix.hystrix.HystrixCommandProperties;
import com.netflix.hystrix.HystrixCommandProperties.ExecutionIsolationStrategy;
import com.netflix.hystrix.HystrixThreadPoolProperties;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Hystrix: a new command for each call, as it demands; with its timeout, as it is by default. */
final class HystrixPeer implements Peer {

    private static final HystrixCommand.Setter SUCCESS = setter("success", Work.MINIMUM_CALLS, false);
    private static final HystrixCommand.Setter FAILURE = setter("failure", Integer.MAX_VALUE, false);
    private static final HystrixCommand.Setter READ = setter("read", Integer.MAX_VALUE, false);
    private static final HystrixCommand.Setter OPEN = setter("open", Work.MINIMUM_CALLS, false);
    private static final HystrixCommand.Setter ON_POOL = setter("on-pool", Work.MINIMUM_CALLS, true);
    private static final Callable<String> TEMPLATE = () -> Work.TEMPLATE;
    private static final Callable<String> COPY = Work::copy;

    static final class Call extends HystrixCommand<String> {

        private final Callable<String> body;
        private final Callable<String> otherwise;

        Call(Setter setter, Callable<String> body, Callable<String> otherwise) {
            super(setter);
            this.body = body;
            this.otherwise = otherwise;
        }

        @Override
        protected String run() throws Exception {
            return body.call();
        }

        @Override
        protected String getFallback() {
            try {
                return otherwise.call();
            } catch (Exception mistake) {
                throw new IllegalStateException(mistake);
            }
        }
    }

    static HystrixCommand.Setter setter(String name, int minimumCalls, boolean onPool) {
        return HystrixCommand.Setter.withGroupKey(HystrixCommandGroupKey.Factory.asKey("bench"))
                .andCommandKey(HystrixCommandKey.Factory.asKey(name))
                .andThreadPoolPropertiesDefaults(
                        HystrixThreadPoolProperties.Setter().withCoreSize(Work.LIMIT))
                .andCommandPropertiesDefaults(HystrixCommandProperties.Setter()
                        .withExecutionIsolationStrategy(
                                onPool ? ExecutionIsolationStrategy.THREAD : ExecutionIsolationStrategy.SEMAPHORE)
                        .withExecutionIsolationSemaphoreMaxConcurrentRequests(Work.LIMIT)
                        .withFallbackIsolationSemaphoreMaxConcurrentRequests(Work.LIMIT)
                        .withExecutionTimeoutInMilliseconds((int) Work.TIMEOUT.toMillis())
                        .withMetricsRollingStatisticalWindowInMilliseconds((int) Work.WINDOW.toMillis())
                        .withMetricsHealthSnapshotIntervalInMilliseconds(100)
                        .withCircuitBreakerErrorThresholdPercentage(Work.ERROR_PERCENTAGE)
                        .withCircuitBreakerRequestVolumeThreshold(minimumCalls)
                        .withCircuitBreakerSleepWindowInMilliseconds((int) Work.OPEN_FOR.toMillis())
                        .withRequestLogEnabled(false)
                        .withRequestCacheEnabled(false));
    }

    HystrixPeer() {
        // Its counts reach the breaker by way of a timer.
        for (int turn = 0; turn < 100 && !new Call(OPEN, Work.FAILS, TEMPLATE).isCircuitBreakerOpen(); turn++) {
            Work.enoughToOpen(this::openThenStatic);
            LockSupport.parkNanos(100_000_000L);
        }
        if (!new Call(OPEN, Work.FAILS, TEMPLATE).isCircuitBreakerOpen()) {
            throw new IllegalStateException("the breaker should be open");
        }
    }

    @Override
    public Object success() {
        return new Call(SUCCESS, Work.ANSWERS, TEMPLATE).execute();
    }

    @Override
    public Object failureThenStatic() {
        return new Call(FAILURE, Work.FAILS, TEMPLATE).execute();
    }

    @Override
    public Object failureThenRead() {
        return new Call(READ, Work.FAILS, COPY).execute();
    }

    @Override
    public Object openThenStatic() {
        return new Call(OPEN, Work.FAILS, TEMPLATE).execute();
    }

    @Override
    public Object successOnPool() {
        return new Call(ON_POOL, Work.ANSWERS, TEMPLATE).execute();
    }

    @Override
    public void close() {
        Hystrix.reset();
    }
}
