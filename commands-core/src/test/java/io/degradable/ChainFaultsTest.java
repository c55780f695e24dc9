package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.FallbackContext;
import io.degradable.model.Level;
import io.degradable.model.NoAnswerException;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that chains of other libraries have had, and what comes out here. */
@Timeout(60)
final class ChainFaultsTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> LAST = StaticTemplate.of("last", "template");

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();

    @AfterEach
    void close() {
        callers.close();
        commands.close();
    }

    private Call failing(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private static List<StageReason> reasons(List<StageReport> trail) {
        return trail.stream().map(StageReport::reason).toList();
    }

    @ParameterizedTest(name = "B74: stage {0} answers")
    @ValueSource(ints = {0, 1, 2, 3})
    void a_stage_is_asked_only_when_all_before_it_gave_no_answer(int answering) {
        List<String> asked = new ArrayList<>();
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            asked.add("second");
                            if (answering > 1) {
                                throw new IOException("second is down, too");
                            }
                            return "spare";
                        })
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(LAST, (template, call) -> {
                            asked.add("template");
                            return template;
                        }))
                .build();
        if (answering <= 2) {
            commands.cache(COPIES).put("1", new Timestamped<>("copy", ticker.nanos()));
        }

        CommandResult<String> result = new Call(commands, spec, "1", () -> {
                    if (answering > 0) {
                        throw new IOException("down");
                    }
                    return "live";
                })
                .executeForResult();

        List<StageReason> whole =
                List.of(StageReason.EXCEPTION, StageReason.EXCEPTION, StageReason.ABSENT, StageReason.ANSWER);
        List<StageReason> expected = new ArrayList<>(whole.subList(0, answering));
        expected.add(StageReason.ANSWER);
        assertThat(reasons(result.trail())).isEqualTo(expected);
        assertThat(result.source()).isEqualTo(Source.values()[answering]);
        assertThat(result.value())
                .isEqualTo(List.of("live", "spare", "copy", "template").get(answering));
        assertThat(asked)
                .isEqualTo(List.of(List.of(), List.of("second"), List.of("second"), List.of("second", "template"))
                        .get(answering));
    }

    @ParameterizedTest(name = "B74, B78: {0}")
    @EnumSource(EntryPoint.class)
    void when_all_fail_the_cause_is_the_primarys_and_the_stages_failures_are_suppressed_in_order(EntryPoint entry) {
        IOException down = new IOException("down");
        IOException second = new IOException("second, without a cause");
        IllegalStateException third = new IllegalStateException("third");
        IllegalArgumentException fill = new IllegalArgumentException("fill");
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            throw second;
                        })
                        .spareCall("third", (call, context) -> {
                            throw third;
                        })
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(LAST, (template, call) -> {
                            throw fill;
                        }))
                .build();

        CommandException thrown = catchThrowableOfType(
                CommandException.class,
                () -> entry.run(new Call(commands, spec, "1", () -> {
                    throw down;
                })));

        assertThat(thrown.getCause()).isSameAs(down);
        assertThat(thrown.getSuppressed()).containsExactly(second, third, fill);
        assertThat(reasons(thrown.trail()))
                .containsExactly(
                        StageReason.EXCEPTION,
                        StageReason.EXCEPTION,
                        StageReason.EXCEPTION,
                        StageReason.ABSENT,
                        StageReason.EXCEPTION);
        for (Throwable users : List.of(down, second, third, fill)) {
            assertThat(users.getSuppressed()).isEmpty();
            assertThat(users.getCause()).isNull();
        }
    }

    @ParameterizedTest(name = "B78: {0}")
    @EnumSource(Trouble.class)
    void whatever_the_trouble_the_cause_is_never_null(Trouble trouble) {
        CommandSpec<Call, String> spec = trouble.declared().build();

        CommandException thrown = catchThrowableOfType(
                CommandException.class, () -> trouble.provoke(commands, ticker, spec, Call::execute));

        assertThat(thrown.trigger()).isEqualTo(trouble.trigger());
        assertThat(thrown.getCause()).isNotNull().hasMessageMatching("(?s).+");
    }

    @ParameterizedTest(name = "B80, B81: {0}")
    @EnumSource(Trouble.class)
    void a_stage_may_read_all_of_its_context_whatever_the_trouble(Trouble trouble) throws Exception {
        List<FallbackContext> contexts = new ArrayList<>();
        CommandSpec<Call, String> spec = trouble.declared()
                .fallback(chain -> chain.spareCall(
                                "first",
                                (call, context) -> {
                                    throw new IllegalStateException("first of " + context.cause());
                                },
                                stage -> stage.on(trouble.trigger()))
                        .spareCall(
                                "second",
                                (call, context) -> {
                                    contexts.add(context);
                                    return context.trigger() + " of "
                                            + context.key().name() + ": "
                                            + context.cause().toString().length() + context.elapsed() + context.level()
                                            + context.callId();
                                },
                                stage -> stage.on(trouble.trigger())))
                .build();

        CommandResult<String> result = trouble.provoke(commands, ticker, spec, DegradableCommand::executeForResult);

        assertThat(result).isNotNull();
        assertThat(result.source()).isEqualTo(Source.SPARE);
        FallbackContext context = contexts.get(contexts.size() - 1);
        assertThat(context.trigger()).isEqualTo(trouble.trigger()).isEqualTo(result.trigger());
        assertThat(context.cause())
                .isSameAs(result.cause().orElseThrow())
                .isInstanceOf(
                        switch (trouble) {
                            case FAILURE -> IOException.class;
                            case OVERLOADED -> UnsupportedOperationException.class;
                            case TIMEOUT -> TimeoutException.class;
                            default -> NoAnswerException.class;
                        });
        assertThat(context.elapsed()).isEqualTo(trouble == Trouble.TIMEOUT ? Trouble.TIMEOUT_AFTER : Duration.ZERO);
        assertThat(context.key()).isEqualTo(spec.settings().key());
        assertThat(context.level()).isEqualTo(Level.NORMAL);
        assertThat(context.callId()).isEqualTo(result.callId());
    }

    @Test
    @DisplayName("B83: what a dependency sheds is nothing its breaker learns from, and is counted apart")
    void a_shed_call_is_no_failure() {
        CommandSpec<Call, String> spec = Call.declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .overloaded(failure -> failure instanceof UnsupportedOperationException)
                .fallback(chain -> chain.template(LAST))
                .build();
        Call shed = new Call(commands, spec, "1", () -> {
            throw new UnsupportedOperationException("busy");
        });

        for (int call = 0; call < 1_000; call++) {
            assertThat(shed.execute()).isEqualTo("template");
        }

        assertThat(view().stages().get(0).circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(view().stages().get(0).circuit().bad()).isZero();
        assertThat(view().stages().get(0).circuit().good()).isZero();
        assertThat(view().events(EventType.OVERLOADED)).isEqualTo(1_000);
        assertThat(view().events(EventType.FAILURE)).isZero();
    }

    @Test
    @DisplayName("B84: a full pool of ours says nothing of the dependency")
    void own_refusals_do_not_enter_the_window() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.size(1))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1).errorThresholdPercentage(1))
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        FutureTask<CommandResult<String>> first = callers.call(new Call(commands, spec, "1", () -> {
            entered.countDown();
            release.await();
            return "live";
        }));
        entered.await();
        CyclicBarrier start = new CyclicBarrier(99);
        List<FutureTask<Throwable>> others = new ArrayList<>();
        for (int caller = 0; caller < 99; caller++) {
            others.add(callers.start(() -> {
                start.await();
                return catchThrowable(new Call(commands, spec, "1", () -> "never")::execute);
            }));
        }

        int refused = 0;
        for (FutureTask<Throwable> other : others) {
            CommandException thrown = (CommandException) other.get();
            refused += thrown.trigger() == Trigger.THREAD_POOL_REJECTED ? 1 : 0;
        }
        release.countDown();

        assertThat(first.get().value()).isEqualTo("live");
        assertThat(refused).isEqualTo(99);
        assertThat(view().events(EventType.THREAD_POOL_REJECTED)).isEqualTo(99);
        assertThat(view().stages().get(0).circuit().bad()).isZero();
        assertThat(view().stages().get(0).circuit().good()).isEqualTo(1);
        assertThat(view().stages().get(0).circuit().state()).isEqualTo(CircuitState.CLOSED);
    }

    /** The ways for a body to wait for a command within it. */
    private enum Nested {
        EXECUTE {
            @Override
            String await(Call inner) {
                return inner.execute();
            }
        },
        GET {
            @Override
            String await(Call inner) throws Exception {
                return inner.queue().get();
            }
        },
        JOIN {
            @Override
            String await(Call inner) {
                return inner.queue().join();
            }
        },
        BLOCKING_GET {
            @Override
            String await(Call inner) {
                return inner.toMaybe().blockingGet(EntryPoint.NULL);
            }
        };

        abstract String await(Call inner) throws Exception;
    }

    @ParameterizedTest(name = "B84: {0}")
    @EnumSource(Nested.class)
    void a_nested_commands_refusal_is_no_failure_however_the_body_waited_for_it(Nested nested) throws Exception {
        CommandSpec<Call, String> inner = Call.declared()
                .name("Inner")
                .threadPool(pool -> pool.named("inner").size(1))
                .build();
        CommandSpec<Call, String> outer = Call.declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1).errorThresholdPercentage(1))
                .fallback(chain -> chain.template(LAST))
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        FutureTask<CommandResult<String>> held = callers.call(new Call(commands, inner, "1", () -> {
            entered.countDown();
            release.await();
            return "live";
        }));
        entered.await();

        CommandResult<String> result = new Call(
                        commands, outer, "1", () -> nested.await(new Call(commands, inner, "2", () -> "never")))
                .executeForResult();
        release.countDown();

        assertThat(result.trigger()).isEqualTo(Trigger.OVERLOADED);
        assertThat(result.value()).isEqualTo("template");
        CommandView outers = commands.commands().stream()
                .filter(command -> command.key().name().equals("Call"))
                .findFirst()
                .orElseThrow();
        assertThat(outers.stages().get(0).circuit().bad()).isZero();
        assertThat(held.get().value()).isEqualTo("live");
    }

    @ParameterizedTest(name = "B86: {0}")
    @EnumSource(EntryPoint.class)
    void null_is_an_answer_where_a_stage_says_so(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> nested = Call.declared()
                .name("Nested")
                .threadPool(pool -> pool.named("nested"))
                .build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spare(
                                nested,
                                call -> new Call(commands, nested, call.id, () -> null),
                                spare -> spare.allowNull())
                        .template(LAST))
                .build();

        String answer = entry.run(failing(spec));

        boolean empty = entry == EntryPoint.TO_MAYBE || entry == EntryPoint.OBSERVE;
        assertThat(answer).isEqualTo(empty ? EntryPoint.NULL : null);
        CommandResult<String> result = failing(spec).executeForResult();
        assertThat(result.value()).isNull();
        assertThat(result.source()).isEqualTo(Source.SPARE);
    }

    @Test
    @DisplayName("B88: stages for some failures only, a spare for timeouts only")
    void different_failures_have_different_fallbacks() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .timeout(Trouble.TIMEOUT_AFTER)
                .fallback(chain -> chain.spareCall(
                                "second", (call, context) -> "spare", stage -> stage.on(Trigger.TIMEOUT))
                        .cached(
                                COPIES,
                                call -> call.id,
                                Duration.ofMinutes(1),
                                stage -> stage.onFailure(failure -> !(failure instanceof FileNotFoundException))))
                .build();
        commands.cache(COPIES).put("1", new Timestamped<>("copy", ticker.nanos()));

        CommandException missing = catchThrowableOfType(
                CommandException.class,
                () -> new Call(commands, spec, "1", () -> {
                            throw new FileNotFoundException("42");
                        })
                        .execute());
        String other = failing(spec).execute();
        String late = Trouble.TIMEOUT.provoke(commands, ticker, spec, Call::execute);

        assertThat(missing).hasCauseInstanceOf(FileNotFoundException.class);
        assertThat(reasons(missing.trail()))
                .containsExactly(StageReason.EXCEPTION, StageReason.NOT_FOR_TRIGGER, StageReason.NOT_FOR_FAILURE);
        assertThat(view().events(EventType.FALLBACK_MISSING)).isEqualTo(1);
        assertThat(other).isEqualTo("copy");
        assertThat(late).isEqualTo("spare");
    }
}
