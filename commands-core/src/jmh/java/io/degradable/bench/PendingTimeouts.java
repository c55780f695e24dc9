package io.degradable.bench;

import com.netflix.hystrix.HystrixCommandGroupKey;
import com.netflix.hystrix.HystrixCommandProperties;
import com.netflix.hystrix.HystrixObservableCommand;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.Fallback;
import dev.failsafe.Timeout;
import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.template.StaticTemplate;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import rx.Observable;

/**
 * 10,000 calls at once that wait for work which never ends, each answered by a template after 100 ms. Waves of them come one
 * after the other: in every second one each answer is stamped, which costs, and in the others processor time and bytes are
 * counted, from the first call until all have their answer.
 */
final class PendingTimeouts {

    private static final int PENDING = 10_000;
    private static final Duration LIMIT = Duration.ofMillis(100);

    private PendingTimeouts() {}

    /** Begins one call. */
    private interface Caller {
        Future<?> begin(Runnable whenAnswered);
    }

    public static void main(String[] arguments) throws Exception {
        Peers peer = Peers.valueOf(arguments[0]);
        int waves = Integer.parseInt(arguments[1]);
        Commands commands = Commands.create();
        Caller caller = caller(peer, commands);
        for (int wave = 0; wave < 10; wave++) {
            stamped(caller);
            counted(caller);
        }

        long heapBefore = Machine.usedHeap();
        long[] lateness = new long[PENDING * waves];
        long cpu = 0;
        long bytes = 0;
        for (int wave = 0; wave < waves; wave++) {
            System.arraycopy(stamped(caller), 0, lateness, wave * PENDING, PENDING);
            long cpuBefore = Machine.cpuNanos();
            long bytesBefore = Machine.allocatedBytes();
            counted(caller);
            cpu += Machine.cpuNanos() - cpuBefore;
            bytes += Machine.allocatedBytes() - bytesBefore;
        }
        Arrays.sort(lateness);

        Figures figures = new Figures();
        String name = "pending " + peer + " ";
        figures.put(name + "p50 ms", lateness[lateness.length / 2] / 1e6);
        figures.put(name + "p99 ms", lateness[(int) (lateness.length * 0.99)] / 1e6);
        figures.put(name + "cpu us", cpu / 1e3 / PENDING / waves);
        figures.put(name + "bytes", bytes / (double) PENDING / waves);
        figures.put(
                name + "left",
                commands.commands().stream()
                                .mapToLong(command -> command.inFlight())
                                .sum()
                        + commands.pools().stream()
                                .mapToLong(pool -> pool.queued())
                                .sum());
        figures.put(name + "left heap", Math.max(0, Machine.usedHeap() - lateness.length * 8L - heapBefore));
        figures.write("pending-" + peer);
        System.exit(0); // the work never ends
    }

    /** How late each answer of a wave was. */
    private static long[] stamped(Caller caller) {
        long[] due = new long[PENDING];
        long[] answered = new long[PENDING];
        Future<?>[] futures = new Future<?>[PENDING];
        for (int i = 0; i < PENDING; i++) {
            int place = i;
            due[i] = System.nanoTime() + LIMIT.toNanos();
            futures[i] = caller.begin(() -> answered[place] = System.nanoTime());
        }
        await(futures);
        long settled = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        for (int i = 0; i < PENDING; i++) {
            while (answered[i] == 0 && System.nanoTime() - settled < 0) {
                LockSupport.parkNanos(100_000);
            }
            answered[i] -= due[i];
        }
        return answered;
    }

    private static void counted(Caller caller) {
        Future<?>[] futures = new Future<?>[PENDING];
        for (int i = 0; i < PENDING; i++) {
            futures[i] = caller.begin(null);
        }
        await(futures);
    }

    private static void await(Future<?>[] futures) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        LockSupport.parkNanos(LIMIT.toNanos());
        for (Future<?> future : futures) {
            while (!future.isDone()) {
                if (System.nanoTime() - until > 0) {
                    throw new IllegalStateException("a call has no answer after ten seconds");
                }
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private static Future<?> stamp(CompletableFuture<?> future, Runnable whenAnswered) {
        if (whenAnswered != null) {
            future.whenComplete((answer, failure) -> whenAnswered.run());
        }
        return future;
    }

    private static Caller caller(Peers peer, Commands commands) {
        return switch (peer) {
            case OURS -> ours(commands);
            case LIMIT ->
                whenAnswered -> stamp(
                        new CompletableFuture<String>()
                                .completeOnTimeout(Work.TEMPLATE, LIMIT.toMillis(), TimeUnit.MILLISECONDS),
                        whenAnswered);
            case R4J_COUNT -> resilience4j();
            case FAILSAFE -> failsafe();
            case HYSTRIX -> hystrix();
            default -> throw new IllegalArgumentException(peer + " has no asynchronous timeouts");
        };
    }

    /** One worker, busy for ever from the first call on: all others wait in the queue. */
    private static Caller ours(Commands commands) {
        CommandSpec<CallableCommand<String>, String> spec = CommandSpec.<String>callable("pending")
                .group("bench")
                .threadPool(pool -> pool.size(1).queue(2 * PENDING))
                .timeout(LIMIT)
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(Integer.MAX_VALUE))
                .fallback(chain -> chain.template(StaticTemplate.of("template", Work.TEMPLATE)))
                .build();
        CallableCommand<String> command = new CallableCommand<>(commands, spec, "", () -> {
            while (true) {
                LockSupport.park();
                Thread.interrupted();
            }
        });
        return whenAnswered -> stamp(command.queue(), whenAnswered);
    }

    private static Caller resilience4j() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        TimeLimiter limiter = TimeLimiter.of(LIMIT);
        Supplier<CompletableFuture<String>> body = CompletableFuture::new;
        return whenAnswered -> stamp(
                limiter.executeCompletionStage(timer, body)
                        .exceptionally(failure -> Work.TEMPLATE)
                        .toCompletableFuture(),
                whenAnswered);
    }

    private static Caller failsafe() {
        FailsafeExecutor<String> executor = Failsafe.with(Fallback.of(Work.TEMPLATE), Timeout.<String>of(LIMIT));
        return whenAnswered -> stamp(executor.getStageAsync(() -> new CompletableFuture<String>()), whenAnswered);
    }

    private static Caller hystrix() {
        HystrixObservableCommand.Setter setter = HystrixObservableCommand.Setter.withGroupKey(
                        HystrixCommandGroupKey.Factory.asKey("pending"))
                .andCommandPropertiesDefaults(HystrixCommandProperties.Setter()
                        .withExecutionIsolationSemaphoreMaxConcurrentRequests(2 * PENDING)
                        .withFallbackIsolationSemaphoreMaxConcurrentRequests(2 * PENDING)
                        .withExecutionTimeoutInMilliseconds((int) LIMIT.toMillis())
                        .withCircuitBreakerEnabled(false)
                        .withRequestLogEnabled(false));
        return whenAnswered -> {
            CompletableFuture<String> future = new CompletableFuture<>();
            new Pending(setter).observe().subscribe(future::complete, future::completeExceptionally);
            return stamp(future, whenAnswered);
        };
    }

    private static final class Pending extends HystrixObservableCommand<String> {

        Pending(Setter setter) {
            super(setter);
        }

        @Override
        protected Observable<String> construct() {
            return Observable.never();
        }

        @Override
        protected Observable<String> resumeWithFallback() {
            return Observable.just(Work.TEMPLATE);
        }
    }
}
