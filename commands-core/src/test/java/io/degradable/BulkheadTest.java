package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where bodies run, seen from outside: callers that help out, runs inside runs. */
@Timeout(30)
final class BulkheadTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        callers.close();
        commands.close();
    }

    private CommandSpec<Call, String> pool(int size, int callerRuns) {
        return Call.declared()
                .threadPool(pool -> pool.named("few").size(size).callerRuns(callerRuns))
                .timeout(Duration.ofMillis(100))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
    }

    /** Takes a thread of the pool of {@code spec} until the end of the test. */
    private FutureTask<CommandResult<String>> occupy(CommandSpec<Call, String> spec) throws InterruptedException {
        BulkheadSettings.ThreadPool few =
                (BulkheadSettings.ThreadPool) spec.settings().guard().bulkhead();
        CommandSpec<Call, String> holder = Call.declared()
                .name("Holder")
                .threadPool(pool -> pool.named(few.name()).size(few.size()).callerRuns(few.callerRuns()))
                .noTimeout()
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        FutureTask<CommandResult<String>> answer = callers.call(new Call(commands, holder, "holds", () -> {
            entered.countDown();
            release.await();
            return "live";
        }));
        entered.await();
        return answer;
    }

    @Test
    void a_full_pool_lets_a_bounded_number_of_callers_run_the_body_themselves() throws Exception { // C2
        CommandSpec<Call, String> spec = pool(1, 1);
        FutureTask<CommandResult<String>> first = occupy(spec);
        AtomicReference<Thread> ran = new AtomicReference<>();
        List<CommandResult<String>> third = new ArrayList<>();

        CommandResult<String> second = new Call(commands, spec, "2", () -> {
                    ran.set(Thread.currentThread());
                    third.add(new Call(commands, spec, "3", () -> "never").executeForResult());
                    return "by the caller";
                })
                .executeForResult();

        assertThat(second.value()).isEqualTo("by the caller");
        assertThat(ran).hasValue(Thread.currentThread());
        assertThat(third).singleElement().extracting(CommandResult::trigger).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        release.countDown();
        assertThat(first.get().source()).isEqualTo(Source.PRIMARY);
        assertThat(new Call(commands, spec, "4", () -> "live")
                        .executeForResult()
                        .source())
                .isEqualTo(Source.PRIMARY);
    }

    @Test
    void a_caller_that_runs_the_body_gets_its_answer_however_late() throws Exception {
        CommandSpec<Call, String> spec = pool(1, 1);
        FutureTask<CommandResult<String>> held = occupy(spec);

        CommandResult<String> late = new Call(commands, spec, "2", () -> {
                    ticker.advance(Duration.ofMillis(99).plusNanos(1_000_001));
                    return "late";
                })
                .executeForResult();

        assertThat(late.value()).isEqualTo("late");
        assertThat(late.overrun()).isTrue();
        assertThat(late.provenance()).startsWith("from primary, 0 s old, after its time limit, call ");
        assertThat(held.isDone()).isFalse();
    }

    @Test
    void no_caller_runs_the_body_while_the_breaker_is_not_closed() throws Exception { // C2
        CommandSpec<Call, String> spec = pool(2, 5);
        FutureTask<CommandResult<String>> held = occupy(spec);
        new Call(commands, spec, "fails", () -> {
                    throw new IOException("down");
                })
                .execute();
        ticker.advance(Duration.ofSeconds(5)); // half-open: one thread is free for a probe, then the pool is full
        FutureTask<CommandResult<String>> probe = occupy(spec);

        CommandResult<String> next = new Call(commands, spec, "3", () -> "never").executeForResult();

        assertThat(next.trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(List.of(held.isDone(), probe.isDone())).containsOnly(false);
    }

    @Test
    void a_run_inside_a_body_of_its_own_pool_uses_the_workers_slot_and_cannot_wait_for_itself() {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .threadPool(pool -> pool.named("few").size(1))
                .build();
        CommandSpec<Call, String> outer = Call.declared()
                .name("Outer")
                .threadPool(pool -> pool.named("few").size(1))
                .build();

        String answer = new Call(commands, outer, "1", () -> {
                    Thread worker = Thread.currentThread();
                    return new Call(commands, inner, "2", () -> {
                                assertThat(Thread.currentThread()).isSameAs(worker);
                                return "inner";
                            })
                            .execute();
                })
                .execute();

        assertThat(answer).isEqualTo("inner");
        assertThat(commands.pools())
                .singleElement()
                .satisfies(pool -> assertThat(pool.active()).isZero());
    }

    @Test
    void so_does_a_queued_run_which_is_over_when_queue_returns() {
        CommandSpec<Call, String> spec = pool(1, 0);

        String answer = new Call(commands, spec, "1", () -> {
                    var inner = new Call(commands, spec, "2", () -> "inner").queue();
                    assertThat(inner).isDone();
                    return inner.join();
                })
                .execute();

        assertThat(answer).isEqualTo("inner");
    }

    @Test
    void a_run_without_time_left_skips_the_primary() throws Exception {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .semaphore()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        CommandSpec<Call, String> outer = Call.declared()
                .name("Outer")
                .semaphore()
                .timeout(Duration.ofMillis(100))
                .build();
        List<CommandResult<String>> results = new ArrayList<>();

        new Call(commands, outer, "1", () -> {
                    ticker.advance(Duration.ofMillis(100));
                    results.add(new Call(commands, inner, "2", () -> "never").executeForResult());
                    return "late";
                })
                .execute();

        assertThat(results).singleElement().satisfies(result -> {
            assertThat(result.trail())
                    .extracting(StageReport::reason)
                    .containsExactly(StageReason.NO_TIME_LEFT, StageReason.ANSWER);
            assertThat(result.trigger()).isEqualTo(Trigger.TIMEOUT);
        });
    }

    private static CommandSpec<Call, String> impatient() {
        return Call.declared()
                .threadPool(pool -> pool.size(1).queue(1).queueTimeout(Duration.ofMillis(30)))
                .timeout(Duration.ofMillis(100))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
    }

    @DisplayName("B49, B70: a call leaves the queue at the queue's limit as if it had found the queue full")
    @Test
    void a_call_leaves_the_queue_at_its_limit_whichever_way_it_waits() throws Exception {
        CommandSpec<Call, String> spec = impatient();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<CommandResult<String>> running = new Call(commands, spec, "1", () -> {
                    started.countDown();
                    release.await();
                    return "live";
                })
                .queueForResult();
        started.await();
        CompletableFuture<CommandResult<String>> queued = new Call(commands, spec, "2", () -> "never").queueForResult();
        ticker.advance(Duration.ofMillis(30).minusNanos(1));
        assertThat(queued).isNotDone();
        ticker.advance(Duration.ofNanos(1));
        assertThat(queued.get().trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);

        FutureTask<CommandResult<String>> waiting = callers.call(new Call(commands, spec, "3", () -> "never"));
        ticker.untilWaiting(2); // the limit of the first, and the third
        ticker.advance(Duration.ofMillis(30));
        CommandResult<String> refused = waiting.get();

        assertThat(refused.trail().get(0).reason()).isEqualTo(StageReason.QUEUE_TIMEOUT);
        assertThat(refused.value()).isEqualTo("template");
        assertThat(running).isNotDone();
        release.countDown();
        assertThat(running.get().value()).isEqualTo("live");
        assertThat(commands.pools())
                .singleElement()
                .satisfies(pool -> assertThat(pool.queued()).isZero());
        assertThat(new Call(commands, spec, "4", () -> "breaker closed").execute())
                .isEqualTo("breaker closed");
    }

    @Test
    void a_body_that_got_its_thread_in_time_has_its_whole_limit() throws Exception {
        CommandSpec<Call, String> spec = impatient();
        CountDownLatch started = new CountDownLatch(2);
        Callable<String> body = () -> {
            started.countDown();
            release.await();
            return "live";
        };
        CompletableFuture<String> future = new Call(commands, spec, "1", body).queue();
        FutureTask<CommandResult<String>> waiting;
        try (Commands other = Commands.builder().ticker(ticker).build()) {
            waiting = callers.call(new Call(other, spec, "2", body));
            started.await();
            ticker.untilWaiting(3); // both limits of the first, and the second

            ticker.advance(Duration.ofMillis(99));
            release.countDown();

            assertThat(future.get()).isEqualTo("live");
            assertThat(waiting.get().value()).isEqualTo("live");
        }
    }
}
