package io.degradable.internal.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.settings.BulkheadSettings;
import io.degradable.testing.Race;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits are live targets: shrinking never blocks and takes nothing away, raising never throws and is good at once. */
@Timeout(30)
final class LiveLimitsTest {

    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore started = new Semaphore(0);
    private final Semaphore ended = new Semaphore(0);
    private final AtomicInteger interrupts = new AtomicInteger();
    private ThreadPoolBulkhead pool = pool(1, 0);

    private static ThreadPoolBulkhead pool(int size, int queue) {
        return new ThreadPoolBulkhead(new BulkheadSettings.ThreadPool("live", size, queue));
    }

    @AfterEach
    void close() {
        release.countDown();
        pool.cancelAll(Runnable::run);
    }

    private void enter(int bodies) {
        for (int body = 0; body < bodies; body++) {
            assertThat(pool.tryEnter()).as("body %d", body).isTrue();
            pool.start(() -> {
                started.release();
                try {
                    release.await();
                } catch (InterruptedException takenAway) {
                    interrupts.incrementAndGet();
                }
                pool.exit();
                ended.release();
            });
        }
    }

    private static void untilTrue(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - giveUp).as("overdue").isNegative();
            Thread.onSpinWait();
        }
    }

    /** How many get in until one is refused. */
    private static int free(Bulkhead bulkhead) {
        int free = 0;
        while (bulkhead.tryEnter()) {
            free++;
        }
        for (int slot = 0; slot < free; slot++) {
            bulkhead.exit();
        }
        return free;
    }

    @Test
    void a_pool_that_shrinks_lets_those_inside_end_and_then_takes_fewer() throws InterruptedException {
        pool = pool(3, 2);
        enter(5);
        started.acquire(3);

        pool.resize(1, 1);

        assertThat(pool.active()).as("three run on").isEqualTo(3);
        assertThat(pool.queued()).as("two wait still").isEqualTo(2);
        assertThat(free(pool)).isZero();
        release.countDown();
        ended.acquire(5);
        assertThat(interrupts).hasValue(0);
        assertThat(free(pool)).isEqualTo(2);
        assertThat(pool.size()).isEqualTo(1);
        assertThat(pool.limit()).isEqualTo(1);
        assertThat(pool.queue()).isEqualTo(1);
        assertThat(pool.declared()).as("stays").isEqualTo(new BulkheadSettings.ThreadPool("live", 3, 2));
    }

    @Test
    void a_pool_that_grows_starts_those_who_wait_and_takes_more_at_once() throws InterruptedException {
        pool = pool(1, 2);
        enter(3);
        started.acquire(1);
        assertThat(free(pool)).isZero();

        pool.resize(3, 1);

        started.acquire(2);
        assertThat(pool.active()).isEqualTo(3);
        assertThat(pool.queued()).isZero();
        assertThat(free(pool)).isEqualTo(1);
    }

    @Test
    void a_pool_that_shrank_runs_no_more_than_its_new_size() throws InterruptedException {
        pool = pool(3, 0);
        enter(3);
        started.acquire(3);
        pool.resize(1, 2);
        release.countDown();
        ended.acquire(3);
        untilTrue(() -> pool.threads() == 1); // the others have had their last body, and do not wait for another
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        for (int body = 0; body < 3; body++) {
            assertThat(pool.tryEnter()).isTrue();
            pool.start(() -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                for (int turn = 0; turn < 100_000; turn++) {
                    Thread.onSpinWait();
                }
                inside.decrementAndGet();
                pool.exit();
                ended.release();
            });
        }

        ended.acquire(3);
        assertThat(most).hasValue(1);
    }

    @Test
    void a_queue_without_a_bound_can_be_set_at_any_time() {
        pool = pool(1, 0);

        pool.resize(2, Integer.MAX_VALUE);

        assertThat(pool.tryEnter()).isTrue();
        pool.exit();
    }

    @Test
    void a_semaphore_that_shrinks_waits_for_nobody_and_one_that_grows_lets_in_at_once() {
        SemaphoreBulkhead semaphore = new SemaphoreBulkhead(3);
        for (int body = 0; body < 3; body++) {
            assertThat(semaphore.tryEnter()).isTrue();
        }

        semaphore.resize(2);

        assertThat(semaphore.active()).isEqualTo(3);
        semaphore.exit();
        assertThat(semaphore.tryEnter()).isFalse();
        semaphore.resize(4);
        assertThat(free(semaphore)).isEqualTo(2);
    }

    @Test
    void targets_set_by_several_at_once_never_throw_and_the_last_one_holds() throws Exception {
        pool = pool(1, 0);
        try (Race race = new Race(2)) {
            race.inStep(20_000, (side, round) -> pool.resize(1 + (round * 7 + side * 5) % 13, side));
        }

        int size = pool.size();
        assertThat(free(pool)).isEqualTo(size + pool.queue());
        enter(size);
        started.acquire(size);
        assertThat(pool.threads()).isEqualTo(size);
    }
}
