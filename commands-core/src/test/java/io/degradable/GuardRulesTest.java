package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandResult;
import io.degradable.model.Criticality;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.StageSettings;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of the guard that show only from outside: runs inside runs, who runs whose code, who ends what, the defaults. */
@Timeout(60)
final class GuardRulesTest {

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final CallKind CANCELLED = new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("rules").ticker(ticker).build();
    private final HeldCall held = new HeldCall();

    @AfterEach
    void close() {
        held.letGo();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> pooled(String name) {
        return Call.declared()
                .name(name)
                .timeout(LIMIT)
                .threadPool(pool -> pool.named("rules-" + name).size(1));
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(view -> view.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void untilAtRest(String name) {
        await().until(() -> view(name).inFlight() == 0
                && view(name).stages().stream().allMatch(stage -> stage.active() + stage.queued() == 0));
    }

    // ---- nested runs ----

    @DisplayName(
            "Nested runs: whatever way one begins inside a body, it and its chain have what is left of the deadline")
    @ParameterizedTest
    @EnumSource
    void a_run_inside_a_body_has_what_is_left_of_the_run_around_it(EntryPoint entry) {
        List<Duration> left = Collections.synchronizedList(new ArrayList<>());
        CommandSpec<Call, String> inner = pooled("Inner")
                .timeout(Duration.ofSeconds(9))
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                    left.add(Deadline.current().remaining());
                    return "spare";
                }))
                .build();
        Call outer = new Call(commands, pooled("Outer").build(), "outer", () -> {
            ticker.advance(Duration.ofMillis(30));
            return entry.run(new Call(commands, inner, "inner", () -> {
                left.add(Deadline.current().remaining());
                ticker.advance(Duration.ofMillis(20));
                throw new IOException("down");
            }));
        });

        assertThat(outer.execute()).isEqualTo("spare");
        assertThat(left).containsExactly(Duration.ofMillis(70), Duration.ofMillis(50));
    }

    @DisplayName("Nested runs: on the pool of its own worker it runs in that worker and slot, whatever way it begins")
    @ParameterizedTest
    @EnumSource
    void a_run_inside_a_worker_of_its_pool_runs_there(EntryPoint entry) {
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        CommandSpec<Call, String> inner = pooled("Inner")
                .threadPool(pool -> pool.named("rules-one").size(1))
                .build();
        CommandSpec<Call, String> outer = pooled("Outer")
                .threadPool(pool -> pool.named("rules-one").size(1))
                .build();

        String answer = new Call(commands, outer, "outer", () -> {
                    threads.add(Thread.currentThread());
                    return entry.run(new Call(commands, inner, "inner", () -> {
                        threads.add(Thread.currentThread());
                        return "inner, active " + commands.pools().get(0).active();
                    }));
                })
                .execute();

        assertThat(answer).isEqualTo("inner, active 1");
        assertThat(threads).hasSize(2);
        assertThat(threads.get(1)).isSameAs(threads.get(0));
    }

    // ---- threads ----

    /** The entry points that have dependents, each telling on which thread its dependent ran. */
    private enum Dependent {
        QUEUE {
            @Override
            void follow(Call call, Runnable dependent) {
                var unused = call.queue().whenComplete((answer, failure) -> dependent.run());
            }
        },
        QUEUE_FOR_RESULT {
            @Override
            void follow(Call call, Runnable dependent) {
                var unused = call.queueForResult().thenRun(dependent);
            }
        },
        TO_MAYBE {
            @Override
            void follow(Call call, Runnable dependent) {
                var unused = call.toMaybe().subscribe(answer -> dependent.run());
            }
        },
        OBSERVE {
            @Override
            void follow(Call call, Runnable dependent) {
                var unused = call.observe().subscribe(answer -> dependent.run());
            }
        },
        TO_RESULT_SINGLE {
            @Override
            void follow(Call call, Runnable dependent) {
                var unused = call.toResultSingle().subscribe(answer -> dependent.run());
            }
        };

        abstract void follow(Call call, Runnable dependent);
    }

    @DisplayName(
            "Threads: no dependent runs on a pool's worker or on the timer, and our books are closed before it runs")
    @ParameterizedTest
    @EnumSource
    void dependents_run_on_the_continuation_executor(Dependent entry) throws Exception {
        CommandSpec<Call, String> spec = pooled("Main")
                .threadPool(pool -> pool.named("rules-Main").size(2))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
                .build();
        CompletableFuture<String> afterBody = new CompletableFuture<>();
        CompletableFuture<String> afterLimit = new CompletableFuture<>();
        CountDownLatch mayEnd = new CountDownLatch(1);
        entry.follow(
                new Call(commands, spec, "1", () -> {
                    mayEnd.await();
                    return "live";
                }),
                () -> afterBody.complete(here()));
        mayEnd.countDown();
        assertThat(afterBody.get()).startsWith("in flight 0 on degradable-rules-continuation-");
        entry.follow(new Call(commands, spec, "2", held), () -> afterLimit.complete(here()));
        held.untilStarted(1);

        Thread timer = Thread.currentThread(); // this ticker runs its alarms on the thread that moves it
        ticker.advance(LIMIT);

        assertThat(afterLimit.get())
                .startsWith("in flight 0 on degradable-rules-continuation-")
                .doesNotContain(timer.getName());
    }

    private String here() {
        return "in flight " + view("Main").inFlight() + " on "
                + Thread.currentThread().getName();
    }

    // ---- semaphore ----

    @DisplayName(
            "Semaphore: toMaybe() runs the body at subscription, on the subscriber's thread; later stages as for a pool")
    @Test
    void on_a_semaphore_the_body_runs_at_subscription_and_a_spare_on_its_own_pool() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .name("Here")
                .semaphore(1)
                .timeout(LIMIT)
                .fallback(chain -> chain.spareCall("second", (call, context) -> held.call()))
                .build();
        List<Thread> threads = new ArrayList<>();
        Call call = new Call(commands, spec, "1", () -> {
            threads.add(Thread.currentThread());
            throw new IOException("down");
        });
        var source = call.toMaybe();
        assertThat(threads).isEmpty();
        CompletableFuture<String> signal = new CompletableFuture<>();

        var unused = source.subscribe(signal::complete);

        assertThat(threads).containsExactly(Thread.currentThread());
        held.untilStarted(1);
        assertThat(signal).isNotDone();
        assertThat(held.thread()).isNotSameAs(Thread.currentThread());
        held.letGo();
        assertThat(signal.get()).isEqualTo("held");
    }

    // ---- the future given out ----

    /** What somebody outside can do to the future. */
    private enum FromOutside {
        COMPLETE {
            @Override
            <T> void end(CompletableFuture<T> future) {
                assertThat(future.complete(null)).isTrue();
            }
        },
        COMPLETE_EXCEPTIONALLY {
            @Override
            <T> void end(CompletableFuture<T> future) {
                assertThat(future.completeExceptionally(new IOException("outside")))
                        .isTrue();
            }
        },
        CANCEL {
            @Override
            <T> void end(CompletableFuture<T> future) {
                assertThat(future.cancel(true)).isTrue();
            }
        },
        OR_TIMEOUT {
            @Override
            <T> void end(CompletableFuture<T> future) {
                var unused = future.orTimeout(1, TimeUnit.MILLISECONDS);
            }
        };

        abstract <T> void end(CompletableFuture<T> future);
    }

    @DisplayName(
            "The future given out: whoever ends it from outside ends the run, as cancelled, once, and no stage runs")
    @ParameterizedTest
    @EnumSource
    void ending_the_future_ends_the_run(FromOutside how) throws Exception {
        AtomicInteger fills = new AtomicInteger();
        CommandSpec<Call, String> spec = pooled("Main")
                .threadPool(pool -> pool.named("rules-Main").size(2))
                .fallback(chain ->
                        chain.template(StaticTemplate.of("last", "x"), (last, call) -> last + fills.incrementAndGet()))
                .build();
        CountDownLatch entered = new CountDownLatch(2);
        CountDownLatch interrupted = new CountDownLatch(2);
        Call hanging = new Call(commands, spec, "1", () -> {
            entered.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
            return "never";
        });
        CompletableFuture<String> answer = hanging.queue();
        CompletableFuture<CommandResult<String>> result = hanging.queueForResult();
        entered.await();

        how.end(answer);
        how.end(result);

        interrupted.await();
        untilAtRest("Main");
        assertThat(List.of(answer.isDone(), result.isDone())).containsOnly(true);
        assertThat(view("Main").calls(CANCELLED)).isEqualTo(2);
        assertThat(fills).hasValue(0);
    }

    @DisplayName("The future given out: what is done to its dependents leaves the run alone")
    @ParameterizedTest
    @EnumSource
    void ending_a_dependent_ends_nothing(FromOutside how) throws Exception {
        CompletableFuture<String> future = new Call(commands, pooled("Main").build(), "1", held).queue();
        held.untilStarted(1);

        how.end(future.copy());
        how.end(future.thenApply(String::length));
        how.end(future.whenComplete((answer, failure) -> {}));

        held.letGo();
        assertThat(future.get()).isEqualTo("held");
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(view("Main").calls(CANCELLED)).isZero();
    }

    // ---- defaults ----

    @DisplayName("Defaults: every figure of a command that says nothing")
    @Test
    void a_command_that_says_nothing_has_the_decided_figures() {
        CommandSettings command = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> "spare")
                        .cached(CacheSpec.<String, String>named("copies"), call -> call.id, Duration.ofMinutes(1))
                        .template(StaticTemplate.of("last", "template")))
                .build()
                .settings();

        Duration second = Duration.ofSeconds(1);
        BreakerSettings breaker = new BreakerSettings(
                true,
                20,
                50,
                0,
                0,
                0,
                Duration.ofSeconds(10),
                10,
                0,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                5,
                80,
                List.of(10, 25, 50),
                20);
        assertThat(command.criticality()).isEqualTo(Criticality.CORE);
        assertThat(command.guard())
                .isEqualTo(new GuardSettings(
                        new BulkheadSettings.ThreadPool("test", 10, 0, GuardSettings.NO_TIMEOUT, 0),
                        second,
                        true,
                        second,
                        breaker));
        assertThat(command.deadline()).isEqualTo(GuardSettings.NO_TIMEOUT);
        assertThat(command.nullIsFailure()).isFalse();
        assertThat(command.budget()).isEqualTo(Duration.ofMillis(250));
        StageSettings spare = command.stages().get(0);
        assertThat(spare.guard())
                .as("a function has the primary's size and its timeout, cut to the budget")
                .isEqualTo(new GuardSettings(
                        new BulkheadSettings.ThreadPool("Call/second", 10, 0, GuardSettings.NO_TIMEOUT, 0),
                        Duration.ofMillis(250),
                        true,
                        Duration.ofMillis(250),
                        breaker));
        assertThat(spare.entry().on()).containsExactlyInAnyOrder(Trigger.FAILURE, Trigger.TIMEOUT);
        assertThat(spare.entry().whileHealthy()).isTrue();
        assertThat(command.stages())
                .extracting(StageSettings::kind)
                .containsExactly(Source.SPARE, Source.CACHE, Source.STATIC);
        assertThat(Call.declared().semaphore().build().settings().guard().bulkhead())
                .isEqualTo(new BulkheadSettings.Semaphore(10));
        assertThat(Call.declared().noTimeout().build().settings().guard().timeout())
                .isEqualTo(GuardSettings.NO_TIMEOUT);
        assertThatThrownBy(() -> CommandSpec.of(Call.class).build()).hasMessageContaining("group");
    }

    @DisplayName("Defaults: a close gives a second of grace")
    @Test
    void a_close_gives_a_second() throws Exception {
        CompletableFuture<String> future =
                new Call(commands, pooled("Main").noTimeout().build(), "1", held).queue();
        held.untilStarted(1);
        Caller<Boolean> closing = Caller.calls(() -> {
            commands.close();
            return true;
        });
        ticker.untilWaiting(2); // an alarm, and who closes

        ticker.advance(Duration.ofSeconds(1).minusNanos(1));
        boolean early = held.wasInterrupted() || closing.isDone();
        ticker.advance(Duration.ofNanos(1));

        assertThat(closing.result()).isTrue();
        assertThat(early).isFalse();
        held.untilInterrupted();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    }
}
