package io.degradable.internal.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.time.DeadlineThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ThreadPoolBulkheadTest {

    private static final Duration GRACE = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker();
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<ThreadPoolBulkhead> pools = new ArrayList<>();

    private ThreadPoolBulkhead pool(int size, int queue) {
        ThreadPoolBulkhead pool = new ThreadPoolBulkhead(new BulkheadSettings.ThreadPool("catalog", size, queue));
        pools.add(pool);
        return pool;
    }

    @AfterEach
    void leave_no_thread_behind() {
        release.countDown();
        pools.forEach(pool -> pool.cancelAll(Runnable::run));
    }

    /** Starts a body that runs until the test releases it, and gives its slot back as a body does. */
    private Runnable blockingBody(ThreadPoolBulkhead pool, CountDownLatch started) {
        return () -> {
            started.countDown();
            try {
                release.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } finally {
                pool.exit();
            }
        };
    }

    private void enterAndBlock(ThreadPoolBulkhead pool) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        assertThat(pool.tryEnter()).isTrue();
        pool.start(blockingBody(pool, started));
        started.await();
    }

    private long graceFromNow() {
        return ticker.nanos() + GRACE.toNanos();
    }

    @DisplayName("B67: the pool grows to its size before it queues")
    @Test
    void ten_of_twelve_run_and_two_wait() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(10, 5);
        CountDownLatch tenStarted = new CountDownLatch(10);
        CountDownLatch ended = new CountDownLatch(12);
        AtomicInteger bodies = new AtomicInteger();

        for (int body = 0; body < 12; body++) {
            assertThat(pool.tryEnter()).isTrue();
            pool.start(() -> {
                bodies.incrementAndGet();
                blockingBody(pool, tenStarted).run();
                ended.countDown();
            });
        }
        tenStarted.await();

        assertThat(bodies).hasValue(10);
        assertThat(pool.threads()).isEqualTo(10);
        assertThat(pool.active()).isEqualTo(10);
        assertThat(pool.queued()).isEqualTo(2);
        release.countDown();
        ended.await();
        assertThat(pool.largestPoolSize()).isEqualTo(10);
        assertThat(pool.active()).isZero();
        assertThat(pool.queued()).isZero();
    }

    @Test
    void running_and_waiting_bodies_together_fill_it() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(2, 3);
        enterAndBlock(pool);
        enterAndBlock(pool);

        for (int waiting = 0; waiting < 3; waiting++) {
            assertThat(pool.tryEnter()).isTrue();
        }

        assertThat(pool.tryEnter()).isFalse();
        assertThat(pool.full()).isEqualTo(StageReason.THREAD_POOL_FULL);
        assertThat(pool.active()).isEqualTo(2);
        assertThat(pool.queued()).isEqualTo(3);
    }

    @Test
    void without_a_queue_nobody_waits() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 0);
        enterAndBlock(pool);

        assertThat(pool.tryEnter()).isFalse();

        assertThat(pool.queued()).isZero();
    }

    @DisplayName("A slot that was given back is good at once, although its worker is not back for work yet")
    @Test
    void a_slot_is_good_the_moment_it_is_given_back() {
        ThreadPoolBulkhead pool = pool(1, 0);
        for (int call = 0; call < 20_000; call++) {
            CompletableFuture<Boolean> ended = new CompletableFuture<>();
            assertThat(pool.tryEnter()).as("call %d", call).isTrue();

            pool.start(() -> {
                pool.exit();
                ended.complete(true); // the worker is still in here when the next body comes
            });

            assertThat(Caller.valueOf(ended)).isTrue();
        }
        assertThat(pool.largestPoolSize()).isEqualTo(1);
    }

    @Test
    void a_body_taken_out_of_the_queue_never_runs() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 1);
        AtomicInteger ran = new AtomicInteger();
        Runnable removed = ran::incrementAndGet;
        enterAndBlock(pool);
        assertThat(pool.tryEnter()).isTrue();
        pool.start(removed);
        assertThat(pool.tryEnter()).isFalse();

        pool.remove(removed);
        pool.exit();

        assertThat(pool.queued()).isZero();
        assertThat(pool.tryEnter()).isTrue();
        release.countDown();
        pool.shutdown();
        assertThat(pool.awaitEnd(ticker, graceFromNow())).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    void its_threads_are_named_daemons_of_ours_and_made_when_needed() {
        ThreadPoolBulkhead pool = pool(2, 0);
        assertThat(pool.threads()).isZero();
        CompletableFuture<Thread> thread = new CompletableFuture<>();

        pool.start(() -> thread.complete(Thread.currentThread()));

        assertThat(Caller.valueOf(thread)).isInstanceOf(DeadlineThread.class);
        assertThat(Caller.valueOf(thread).isDaemon()).isTrue();
        assertThat(Caller.valueOf(thread).getName()).isEqualTo("degradable-catalog-1");
        assertThat(pool.threads()).isEqualTo(1);
    }

    @Test
    void bodies_start_in_the_order_they_came() {
        ThreadPoolBulkhead pool = pool(1, 100);
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        List<Integer> expected = new ArrayList<>();

        for (int body = 0; body < 100; body++) {
            int number = body;
            expected.add(number);
            pool.start(() -> order.add(number));
        }
        pool.shutdown();

        assertThat(pool.awaitEnd(ticker, graceFromNow())).isTrue();
        assertThat(order).containsExactlyElementsOf(expected);
        assertThat(pool.completed()).isEqualTo(100);
    }

    // ---- the end ----

    @Test
    void after_a_shutdown_no_body_is_let_in_and_the_running_one_goes_on() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(2, 0);
        enterAndBlock(pool);

        pool.shutdown();

        assertThatThrownBy(() -> pool.start(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(pool.active()).isEqualTo(1);
        release.countDown();
        assertThat(pool.awaitEnd(ticker, graceFromNow())).isTrue();
        assertThat(pool.active()).isZero();
        assertThat(pool.threads()).isZero();
    }

    @Test
    void the_end_of_the_last_body_ends_the_wait() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 0);
        enterAndBlock(pool);
        pool.shutdown();
        Caller<Boolean> closer = Caller.calls(() -> pool.awaitEnd(ticker, graceFromNow()));
        ticker.untilWaiting(1);

        release.countDown();

        assertThat(closer.result()).isTrue();
    }

    @Test
    void the_wait_for_bodies_that_run_on_ends_at_its_moment() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 0);
        enterAndBlock(pool);
        pool.shutdown();
        Caller<Boolean> closer = Caller.calls(() -> pool.awaitEnd(ticker, graceFromNow()));
        ticker.untilWaiting(1);

        ticker.advance(GRACE);

        assertThat(closer.result()).isFalse();
        assertThat(pool.active()).isEqualTo(1);
    }

    @Test
    void a_pool_that_never_ran_or_only_idles_ends_at_once() {
        ThreadPoolBulkhead unused = pool(1, 0);
        ThreadPoolBulkhead idle = pool(1, 0);
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        idle.start(() -> ran.complete(true));
        assertThat(Caller.valueOf(ran)).isTrue();

        unused.shutdown();
        idle.shutdown();

        assertThat(unused.awaitEnd(ticker, graceFromNow())).isTrue();
        assertThat(idle.awaitEnd(ticker, graceFromNow())).isTrue();
    }

    @Test
    void an_interrupt_ends_the_wait_and_stays_set() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 0);
        enterAndBlock(pool);
        pool.shutdown();
        Caller<String> closer = Caller.calls(() -> {
            boolean ended = pool.awaitEnd(ticker, graceFromNow());
            return ended + " " + Thread.currentThread().isInterrupted();
        });
        ticker.untilWaiting(1);

        closer.interrupt();

        assertThat(closer.result()).isEqualTo("false true");
    }

    @Test
    void the_last_worker_never_ends_unnoticed() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            ThreadPoolBulkhead pool = new ThreadPoolBulkhead(new BulkheadSettings.ThreadPool("short", 1, 0));
            CountDownLatch started = new CountDownLatch(1);
            pool.start(started::countDown);
            started.await();

            pool.shutdown();

            // The ticker stands still: a wake-up that got lost would be waited for until the test's own limit.
            assertThat(pool.awaitEnd(ticker, graceFromNow()))
                    .as("round %d", round)
                    .isTrue();
        }
    }

    @Test
    void at_last_running_bodies_are_interrupted_and_waiting_ones_cancelled() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 1);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        AtomicBoolean cancelled = new AtomicBoolean();
        Task waiting = new Task() {
            @Override
            public void cancel() {
                cancelled.set(true);
            }

            @Override
            public void run() {
                throw new AssertionError("must not run");
            }
        };
        pool.start(() -> {
            running.countDown();
            try {
                release.await();
                interrupted.complete(false);
            } catch (InterruptedException expected) {
                interrupted.complete(true);
            }
        });
        running.await();
        pool.start(waiting);

        pool.cancelAll(Runnable::run);

        assertThat(cancelled).isTrue();
        assertThat(Caller.valueOf(interrupted)).isTrue();
        assertThat(pool.awaitEnd(ticker, graceFromNow())).isTrue();
    }

    @Test
    void at_last_a_running_task_is_told_that_nobody_waits_for_it() throws InterruptedException {
        ThreadPoolBulkhead pool = pool(1, 0);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        assertThat(pool.tryEnter()).isTrue();
        pool.start(new Task() {
            @Override
            public void cancel() {
                cancelled.countDown();
            }

            @Override
            public void run() {
                started.countDown();
                while (cancelled.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
                pool.exit();
            }
        });
        started.await();

        pool.cancelAll(Runnable::run);

        assertThat(cancelled.getCount()).isZero();
    }

    @Test
    void nobody_runs_a_body_himself_where_that_was_not_asked_for() {
        ThreadPoolBulkhead none = pool(1, 0);

        assertThat(none.tryEnterAsCaller()).isFalse();
        assertThat(none.isCalledByWorker()).isFalse();
    }

    @Test
    void callers_who_run_bodies_themselves_have_slots_of_their_own() throws InterruptedException {
        ThreadPoolBulkhead pool =
                new ThreadPoolBulkhead(new BulkheadSettings.ThreadPool("catalog", 1, 0, GuardSettings.NO_TIMEOUT, 2));
        pools.add(pool);
        enterAndBlock(pool);

        assertThat(pool.tryEnterAsCaller()).isTrue();
        assertThat(pool.tryEnterAsCaller()).isTrue();
        assertThat(pool.tryEnterAsCaller()).isFalse();
        assertThat(pool.active()).as("workers only").isEqualTo(1);

        pool.exitAsCaller();
        assertThat(pool.tryEnter()).as("a caller's slot is no worker's").isFalse();
        assertThat(pool.tryEnterAsCaller()).isTrue();
        assertThat(pool.tryEnterAsCaller()).isFalse();
    }

    @Test
    void a_worker_is_known_to_its_own_pool_alone() {
        ThreadPoolBulkhead pool = pool(1, 0);
        ThreadPoolBulkhead other = pool(1, 0);
        CompletableFuture<List<Boolean>> known = new CompletableFuture<>();

        pool.start(() -> known.complete(List.of(pool.isCalledByWorker(), other.isCalledByWorker())));

        assertThat(Caller.valueOf(known)).containsExactly(true, false);
    }

    @Test
    void a_task_that_has_ended_is_not_cancelled_with_those_that_run() {
        ThreadPoolBulkhead pool = pool(1, 0);
        AtomicBoolean cancelled = new AtomicBoolean();
        pool.start(new Task() {
            @Override
            public void cancel() {
                cancelled.set(true);
            }

            @Override
            public void run() {}
        });
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (pool.completed() == 0) {
            assertThat(System.nanoTime() - giveUp).as("overdue").isNegative();
            Thread.onSpinWait();
        }

        pool.cancelAll(Runnable::run);

        assertThat(pool.awaitEnd(ticker, graceFromNow())).isTrue();
        assertThat(cancelled).isFalse();
    }

    @DisplayName("A body whose thread is still on its way when all are cancelled is cancelled, too")
    @Test
    void nobody_starts_uncancelled_after_the_last_cancel() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            ThreadPoolBulkhead pool = pool(1, 0);
            CountDownLatch cancelled = new CountDownLatch(1);
            pool.start(new Task() {
                @Override
                public void cancel() {
                    cancelled.countDown();
                }

                @Override
                public void run() {
                    awaitWhateverComes(cancelled);
                }
            });

            pool.shutdown();
            pool.cancelAll(Runnable::run);

            assertThat(cancelled.await(5, TimeUnit.SECONDS))
                    .as("cancelled, round %d", round)
                    .isTrue();
        }
    }

    private static void awaitWhateverComes(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                var unused = latch.await(10, TimeUnit.SECONDS);
                break;
            } catch (InterruptedException ignoredFor) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
