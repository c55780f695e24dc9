package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class DeadlineTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker();

    private Deadline in(Duration span) {
        return Deadline.at(ticker, ticker.nanos() + span.toNanos());
    }

    @AfterEach
    void no_test_leaves_a_deadline_behind() {
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void a_deadline_whose_body_has_ended_is_nobodys_even_if_its_thread_could_not_let_go_of_it() {
        Deadline ofBody = Deadline.ofBody(ticker, ticker.nanos(), Deadline.NONE, null);
        Deadline before = ofBody.enter();
        try {
            assertThat(Deadline.current().expired()).isTrue();

            ofBody.bodyHasEnded = true;

            assertThat(Deadline.current()).isSameAs(Deadline.NONE);
        } finally {
            Deadline.restore(before);
        }
    }

    @Test
    void outside_every_run_there_is_no_limit() {
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
        assertThat(Deadline.NONE.remaining()).isEqualTo(Duration.ofNanos(Spans.FOREVER));
        assertThat(Deadline.NONE.expired()).isFalse();
        assertThat(Deadline.NONE).hasToString("Deadline[none]");
    }

    @Test
    void what_is_left_shrinks_with_time_and_is_never_negative() {
        Deadline deadline = in(Duration.ofMinutes(2)); // beyond the overflow of the ticker's readings

        assertThat(deadline.remaining()).isEqualTo(Duration.ofMinutes(2));
        ticker.advance(Duration.ofSeconds(119));
        assertThat(deadline.remaining()).isEqualTo(SECOND);
        assertThat(deadline).hasToString("Deadline[PT1S left]");
        ticker.advance(Duration.ofHours(1));
        assertThat(deadline.remaining()).isEqualTo(Duration.ZERO);
    }

    @Test
    void it_is_over_at_its_moment_and_not_a_nanosecond_before() {
        Deadline deadline = in(SECOND);

        ticker.advance(SECOND.minusNanos(1));
        assertThat(deadline.expired()).isFalse();
        ticker.advance(Duration.ofNanos(1));
        assertThat(deadline.expired()).isTrue();
    }

    @Test
    void a_nested_run_gives_back_the_deadline_of_the_outer_one() {
        Deadline outer = in(SECOND);
        Deadline inner = in(Duration.ofMillis(1));

        Deadline none = outer.enter();
        Deadline before = inner.enter();

        assertThat(none).isSameAs(Deadline.NONE);
        assertThat(before).isSameAs(outer);
        assertThat(Deadline.current()).isSameAs(inner);
        Deadline.restore(before);
        assertThat(Deadline.current()).isSameAs(outer);
        Deadline.restore(none);
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void no_thread_local_of_ours_stays_behind_on_a_foreign_thread() throws Exception {
        Field field = Deadline.class.getDeclaredField("FOREIGN");
        field.setAccessible(true);
        ThreadLocal<?> foreign = (ThreadLocal<?>) field.get(null);

        Deadline before = in(SECOND).enter();
        assertThat(foreign.get()).isNotNull();
        Deadline.restore(before);

        assertThat(foreign.get()).isNull();
    }

    @Test
    void a_thread_sees_its_own_deadline_only() {
        Deadline before = in(SECOND).enter();

        Deadline elsewhere = Caller.calls(Deadline::current).result();
        Deadline onAWorker = onAWorker(Deadline::current);

        assertThat(elsewhere).isSameAs(Deadline.NONE);
        assertThat(onAWorker).isSameAs(Deadline.NONE);
        Deadline.restore(before);
    }

    @Test
    void a_worker_of_ours_keeps_its_deadline_without_a_thread_local() {
        Deadline deadline = in(SECOND);

        String seen = onAWorker(() -> {
            Deadline before = deadline.enter();
            boolean entered = Deadline.current() == deadline;
            Deadline.restore(before);
            return entered + " " + (Deadline.current() == Deadline.NONE);
        });

        assertThat(seen).isEqualTo("true true");
    }

    private <T> T onAWorker(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        new DeadlineThread(() -> result.complete(work.get()), "worker", this).start();
        return Caller.valueOf(result);
    }

    @Test
    void a_worker_of_ours_is_a_named_daemon_that_inherits_nothing() throws InterruptedException {
        InheritableThreadLocal<String> inheritable = new InheritableThreadLocal<>();
        inheritable.set("the first caller's");
        CountDownLatch ended = new CountDownLatch(1);
        String[] inherited = {"not asked"};

        DeadlineThread worker = new DeadlineThread(
                () -> {
                    inherited[0] = inheritable.get();
                    ended.countDown();
                },
                "worker-7",
                this);
        worker.start();
        ended.await();

        assertThat(worker.isDaemon()).isTrue();
        assertThat(worker.getName()).isEqualTo("worker-7");
        assertThat(inherited[0]).isNull();
        inheritable.remove();
    }

    @Test
    void the_earlier_of_deadline_and_limit_counts() {
        Deadline deadline = in(Duration.ofMinutes(2));
        long sooner = ticker.nanos() + SECOND.toNanos();
        long later = ticker.nanos() + Duration.ofMinutes(3).toNanos();

        assertThat(deadline.earlierOf(ticker, sooner)).isEqualTo(sooner);
        assertThat(deadline.earlierOf(ticker, later))
                .isEqualTo(ticker.nanos() + Duration.ofMinutes(2).toNanos());
        assertThat(Deadline.NONE.earlierOf(ticker, later)).isEqualTo(later);
    }

    @Test
    void a_deadline_of_another_ticker_is_carried_over_by_what_is_left() {
        Deadline deadline = in(SECOND);
        ManualTicker other = new ManualTicker(77, 0);
        long later = other.nanos() + Duration.ofMinutes(1).toNanos();

        ticker.advance(Duration.ofMillis(600));
        other.advance(Duration.ofMillis(5));

        assertThat(deadline.earlierOf(other, later))
                .isEqualTo(other.nanos() + Duration.ofMillis(400).toNanos());
        assertThat(deadline.earlierOf(other, other.nanos() + 1)).isEqualTo(other.nanos() + 1);
        ticker.advance(SECOND);
        assertThat(deadline.earlierOf(other, later)).isEqualTo(other.nanos());
    }
}
