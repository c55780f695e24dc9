package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H2, H3: the trigger chooses where the chain is entered. */
@Timeout(30)
final class ChainEntryTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final AtomicInteger spareAsked = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Callers callers = new Callers();

    @AfterEach
    void close() {
        release.countDown();
        callers.close();
        commands.close();
    }

    private CommandSpec<Call, String> spec(UnaryOperator<CommandSpec.Builder<Call, String>> guard) {
        return guard.apply(Call.declared().timeout(TIMEOUT))
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            spareAsked.incrementAndGet();
                            return "spare";
                        })
                        .cached(COPIES, call -> call.id, Duration.ofSeconds(60))
                        .template(StaticTemplate.of("last", "template")))
                .build();
    }

    private void keepCopy() {
        commands.cache(COPIES).put("1", new Timestamped<>("copy", ticker.nanos()));
    }

    private Call blocked(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            release.await();
            return "live";
        });
    }

    private static List<StageReason> reasons(CommandResult<?> result) {
        return result.trail().stream().map(StageReport::reason).toList();
    }

    @Test
    void a_failure_asks_the_spare_first() {
        CommandSpec<Call, String> spec = spec(builder -> builder.semaphore());
        keepCopy();

        CommandResult<String> result = new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })
                .executeForResult();

        assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(result.value()).isEqualTo("spare");
    }

    @Test
    void a_timeout_asks_the_spare_while_it_is_healthy() throws Exception {
        CommandSpec<Call, String> spec = spec(builder -> builder);

        FutureTask<CommandResult<String>> answer = callers.call(blocked(spec));
        ticker.untilWaiting(1);
        ticker.advance(TIMEOUT);

        assertThat(answer.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(answer.get().source()).isEqualTo(Source.SPARE);
        assertThat(answer.get().cause()).get().isInstanceOf(TimeoutException.class);
    }

    @Test
    void a_timeout_goes_past_a_spare_that_mostly_fails() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CommandSpec<Call, String> spec = Call.declared()
                .timeout(TIMEOUT)
                .threadPool(pool -> pool.size(30))
                .noCircuitBreaker()
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> {
                                    if (asked.getAndIncrement() % 5 == 0) {
                                        throw new IOException("now and then");
                                    }
                                    return "spare";
                                },
                                stage -> stage.circuitBreaker(breaker -> breaker.errorThresholdPercentage(100)))
                        .template(StaticTemplate.of("last", "template")))
                .build();
        for (int failure = 0; failure < 20; failure++) {
            new Call(commands, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .execute();
        }

        FutureTask<CommandResult<String>> answer = callers.call(blocked(spec));
        ticker.untilWaiting(1);
        ticker.advance(TIMEOUT);

        assertThat(reasons(answer.get()))
                .containsExactly(StageReason.TIMEOUT, StageReason.UNHEALTHY, StageReason.ANSWER);
        assertThat(asked).hasValue(20);
    }

    @Test
    void a_full_pool_asks_the_cache_first_for_a_spare_would_only_add_load() throws Exception {
        CommandSpec<Call, String> spec = spec(builder -> builder.threadPool(pool -> pool.size(1)));
        keepCopy();
        FutureTask<CommandResult<String>> first = callers.call(blocked(spec));
        ticker.untilWaiting(1);

        CommandResult<String> second = blocked(spec).executeForResult();

        assertThat(second.trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(second.value()).isEqualTo("copy");
        assertThat(reasons(second))
                .containsExactly(StageReason.THREAD_POOL_FULL, StageReason.NOT_FOR_TRIGGER, StageReason.ANSWER);
        assertThat(spareAsked).hasValue(0);
        release.countDown();
        assertThat(first.get().source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    void a_full_semaphore_asks_the_cache_first() {
        CommandSpec<Call, String> spec = spec(builder -> builder.semaphore(1));
        keepCopy();
        List<CommandResult<String>> inner = new ArrayList<>();

        new Call(commands, spec, "1", () -> {
                    inner.add(new Call(commands, spec, "1", () -> "never").executeForResult());
                    return "live";
                })
                .execute();

        assertThat(inner).singleElement().satisfies(result -> {
            assertThat(result.trigger()).isEqualTo(Trigger.SEMAPHORE_REJECTED);
            assertThat(result.value()).isEqualTo("copy");
        });
        assertThat(spareAsked).hasValue(0);
    }

    @Test
    void an_open_breaker_asks_cache_or_template_at_once_and_does_not_run_the_body() {
        CommandSpec<Call, String> spec =
                spec(builder -> builder.semaphore().circuitBreaker(breaker -> breaker.requestVolumeThreshold(2)));
        for (int failure = 0; failure < 2; failure++) {
            new Call(commands, spec, "1", () -> {
                        throw new IOException("down");
                    })
                    .execute();
        }
        AtomicInteger bodies = new AtomicInteger();

        CommandResult<String> result =
                new Call(commands, spec, "1", () -> "live " + bodies.incrementAndGet()).executeForResult();

        assertThat(result.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(result.value()).isEqualTo("template");
        assertThat(result.elapsed()).isEqualTo(Duration.ZERO);
        assertThat(bodies).hasValue(0);
        assertThat(spareAsked).hasValue(2);
    }

    @Test
    void an_overloaded_dependency_is_answered_for_like_a_rejection_and_leaves_the_breaker_alone() { // B83
        CommandSpec<Call, String> spec = spec(builder -> builder.semaphore()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .overloaded(failure -> failure instanceof IllegalStateException));

        for (int call = 0; call < 100; call++) {
            CommandResult<String> result = new Call(commands, spec, "1", () -> {
                        throw new IllegalStateException("429");
                    })
                    .executeForResult();
            assertThat(result.trigger()).isEqualTo(Trigger.OVERLOADED);
            assertThat(result.value()).isEqualTo("template");
        }
        assertThat(spareAsked).hasValue(0);
    }

    @Test
    void a_nested_commands_refusal_that_leaves_the_body_is_overload_not_failure() { // B84
        CommandSpec<Call, String> inner =
                Call.declared().name("Inner").semaphore(1).build();
        CommandSpec<Call, String> spec = spec(builder -> builder.semaphore());
        List<CommandResult<String>> results = new ArrayList<>();

        new Call(commands, inner, "holds the slot", () -> {
                    results.add(new Call(commands, spec, "1", () -> new Call(commands, inner, "2", () -> "x").execute())
                            .executeForResult());
                    return "done";
                })
                .execute();

        assertThat(results).singleElement().extracting(CommandResult::trigger).isEqualTo(Trigger.OVERLOADED);
    }

    @Test
    void a_stage_can_be_given_other_triggers() { // B88
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(1)
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> "spare for " + context.trigger(),
                                stage -> stage.on(Trigger.SEMAPHORE_REJECTED))
                        .template(StaticTemplate.of("last", "template")))
                .build();
        List<String> inner = new ArrayList<>();

        new Call(commands, spec, "1", () -> {
                    inner.add(new Call(commands, spec, "1", () -> "never").execute());
                    return "live";
                })
                .execute();
        String failed = new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })
                .execute();

        assertThat(inner).containsExactly("spare for SEMAPHORE_REJECTED");
        assertThat(failed).isEqualTo("template");
    }

    @Test
    void a_stage_can_be_kept_for_some_failures() { // B88
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> "spare",
                                stage -> stage.onFailure(failure -> failure instanceof IOException))
                        .template(StaticTemplate.of("last", "template")))
                .build();

        CommandResult<String> network = new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })
                .executeForResult();
        CommandResult<String> other = new Call(commands, spec, "1", () -> {
                    throw new IllegalStateException("odd");
                })
                .executeForResult();

        assertThat(network.value()).isEqualTo("spare");
        assertThat(other.value()).isEqualTo("template");
        assertThat(reasons(other)).contains(StageReason.NOT_FOR_FAILURE);
    }

    @Test
    void a_spent_budget_skips_guarded_stages_but_a_local_copy_is_still_read() throws Exception {
        CommandSpec<Call, String> spec = spec(builder -> builder.deadline(TIMEOUT));
        keepCopy();

        FutureTask<CommandResult<String>> answer = callers.call(blocked(spec));
        ticker.untilWaiting(1);
        ticker.advance(TIMEOUT);

        assertThat(reasons(answer.get()))
                .containsExactly(StageReason.TIMEOUT, StageReason.NO_TIME_LEFT, StageReason.ANSWER);
        assertThat(answer.get().value()).isEqualTo("copy");
    }

    @Test
    void the_chain_as_a_whole_ends_at_its_budget() throws Exception { // H4
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.within(Duration.ofMillis(250))
                        .spareCall("second", (call, context) -> {
                            release.await();
                            return "never";
                        })
                        .spareCall("third", (call, context) -> {
                            release.await();
                            return "never";
                        })
                        .template(StaticTemplate.of("last", "template")))
                .timeout(Duration.ofMillis(200))
                .build();

        FutureTask<CommandResult<String>> answer = callers.call(new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        }));
        ticker.untilWaiting(1);
        ticker.advance(Duration.ofMillis(200));
        ticker.untilWaiting(1);
        ticker.advance(Duration.ofMillis(50));

        assertThat(answer.get().fallbackElapsed()).isEqualTo(Duration.ofMillis(250));
        assertThat(reasons(answer.get()))
                .containsExactly(StageReason.EXCEPTION, StageReason.TIMEOUT, StageReason.BUDGET, StageReason.ANSWER);
    }

    @Test
    void after_the_primarys_timeout_a_second_call_is_admitted_although_the_spare_hangs_on() throws Exception { // H4
        CountDownLatch bodyEntered = new CountDownLatch(1);
        CountDownLatch spareEntered = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.named("one").size(1))
                .timeout(TIMEOUT)
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            spareEntered.countDown();
                            release.await();
                            return "late";
                        })
                        .template(StaticTemplate.of("last", "template")))
                .build();
        FutureTask<CommandResult<String>> first = callers.call(new Call(commands, spec, "1", () -> {
            bodyEntered.countDown();
            try {
                release.await();
            } finally {
                interrupted.countDown();
            }
            return "never";
        }));
        bodyEntered.await();
        ticker.untilWaiting(1);
        ticker.advance(TIMEOUT);
        spareEntered.await();
        interrupted.await();
        untilIdle("one");

        CommandResult<String> second = new Call(commands, spec, "2", () -> "live").executeForResult();

        assertThat(second.source()).isEqualTo(Source.PRIMARY);
        assertThat(first.isDone()).isFalse();
    }

    @Test
    void a_stage_that_keeps_failing_is_left_alone_by_a_breaker_of_its_own() { // H4
        CommandSpec<Call, String> spec = Call.declared()
                .noCircuitBreaker()
                .fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> {
                                    spareAsked.incrementAndGet();
                                    throw new IOException("second is down, too");
                                },
                                stage -> stage.circuitBreaker(breaker -> breaker.requestVolumeThreshold(3)))
                        .spareCall("third", (call, context) -> "third")
                        .template(StaticTemplate.of("last", "template")))
                .build();
        Call failing = new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
        for (int call = 0; call < 3; call++) {
            assertThat(failing.execute()).isEqualTo("third");
        }

        CommandResult<String> result = failing.executeForResult();

        assertThat(reasons(result))
                .containsExactly(StageReason.EXCEPTION, StageReason.SHORT_CIRCUITED, StageReason.ANSWER);
        assertThat(result.value()).isEqualTo("third");
        assertThat(spareAsked).hasValue(3);
    }

    private void untilIdle(String pool) {
        await().until(() -> commands.pools().stream()
                .filter(view -> view.name().equals(pool))
                .allMatch(view -> view.active() == 0));
    }
}
