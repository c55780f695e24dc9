package io.degradable.internal.guard;

import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CircuitWindow;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Spans;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** Guards over a ticker that stands still, a pool of one thread and a queue of one, and what tests want to know of them. */
final class Bench implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofMillis(100);
    static final Duration OPEN_FOR = Duration.ofSeconds(5);
    static final Duration NANO = Duration.ofNanos(1);

    /** Measures, and never opens. */
    static final BreakerSettings MEASURING =
            new BreakerSettings(true, Integer.MAX_VALUE, 100, Duration.ofSeconds(10), 10, OPEN_FOR, OPEN_FOR, 1, 100);

    /** Opens at the first bad call, and lets one probe through. */
    static final BreakerSettings TOUCHY =
            new BreakerSettings(true, 1, 50, Duration.ofSeconds(10), 10, OPEN_FOR, OPEN_FOR, 1, 100);

    final ManualTicker ticker = new ManualTicker();
    final ThreadPoolBulkhead pool;
    private final CountDownLatch occupied = new CountDownLatch(1);

    Bench() {
        this(1);
    }

    Bench(int queue) {
        this.pool = new ThreadPoolBulkhead(new BulkheadSettings.ThreadPool("bench", 1, queue));
    }

    Guard onPool(BreakerSettings breaker, boolean interruptOnTimeout) {
        GuardSettings settings = new GuardSettings(pool.declared(), TIMEOUT, interruptOnTimeout, TIMEOUT, breaker);
        return new Guard(settings, pool, FailureRules.DEFAULT, ticker, Runnable::run);
    }

    Guard onPool() {
        return onPool(MEASURING, true);
    }

    Guard onCaller(BreakerSettings breaker, FailureRules rules) {
        BulkheadSettings.Semaphore semaphore = new BulkheadSettings.Semaphore(1);
        Bulkhead bulkhead = new SemaphoreBulkhead(semaphore.limit());
        return new Guard(
                new GuardSettings(semaphore, TIMEOUT, true, TIMEOUT, breaker), bulkhead, rules, ticker, Runnable::run);
    }

    Guard onCaller() {
        return onCaller(MEASURING, FailureRules.DEFAULT);
    }

    Guard inline() {
        return new Guard(GuardSettings.INLINE, InlineBulkhead.INSTANCE, FailureRules.DEFAULT, ticker, Runnable::run);
    }

    /** A body that is a lambda; null is a miss. */
    static Body<String, String> body(Callable<String> run) {
        return new Body<>() {
            @Override
            public @Nullable String call(String command, @Nullable FallbackContext context) throws Exception {
                return run.call();
            }

            @Override
            public StageReason judge(@Nullable String value) {
                return value == null ? StageReason.NULL_ANSWER : StageReason.ANSWER;
            }
        };
    }

    static Body<String, String> failing(Throwable failure) {
        return body(() -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        });
    }

    /** A body that takes its time, on the thread that moves the ticker. */
    Body<String, String> taking(Duration span, Callable<String> then) {
        return body(() -> {
            ticker.advance(span);
            return then.call();
        });
    }

    long noDeadline() {
        return ticker.nanos() + Spans.FOREVER;
    }

    long deadlineIn(Duration span) {
        return ticker.nanos() + span.toNanos();
    }

    Call<String> call(Guard guard, Body<String, String> body) {
        return call(guard, body, noDeadline());
    }

    Call<String> call(Guard guard, Body<String, String> body, long deadlineNanos) {
        return call(guard, body, ticker.nanos(), deadlineNanos);
    }

    /** A call from its beginning to its end, as the synchronous driver makes it. */
    static <V> Call<V> call(Guard guard, Body<String, V> body, long startNanos, long deadlineNanos) {
        Call<V> attempt = guard.begin(body, "command", null, startNanos, deadlineNanos, new WaitingDriver());
        attempt.await();
        guard.finish(attempt);
        return attempt;
    }

    /** How a call ended, and whether its caller was left with an interrupt. */
    record Ended(Call<String> attempt, boolean interrupted) {}

    /** A call from a thread of its own, which waits when this returns. */
    Caller<Ended> waitingCall(Guard guard, Body<String, String> body, long deadlineNanos) throws InterruptedException {
        Caller<Ended> caller = Caller.calls(() -> {
            Call<String> attempt = call(guard, body, deadlineNanos);
            return new Ended(attempt, Thread.currentThread().isInterrupted());
        });
        ticker.untilWaiting(1);
        return caller;
    }

    /** Gives the pool's only thread something to do until {@link #letTheWorkerGo()}. */
    void occupyTheWorker() {
        CompletableFuture<Boolean> started = new CompletableFuture<>();
        pool.tryEnter();
        pool.start(() -> {
            started.complete(true);
            try {
                occupied.await();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
            pool.exit();
        });
        Caller.valueOf(started);
    }

    void letTheWorkerGo() {
        occupied.countDown();
    }

    /** Lets the pool's only thread do something, once it is done with all that came before. */
    <T> T onTheWorker(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        pool.start(() -> result.complete(work.get()));
        return Caller.valueOf(result);
    }

    void untilTheWorkerIsFree() {
        onTheWorker(() -> true);
    }

    /** What the breaker has measured: {@code "3 good, 1 bad"}. */
    String window(Guard guard) {
        CircuitWindow window = guard.breaker().explain(ticker.nanos()).window();
        return window.good() + " good, " + window.bad() + " bad";
    }

    @Override
    public void close() {
        letTheWorkerGo();
        pool.cancelAll(Runnable::run);
    }
}
