package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures and outcomes: what enters the chain, what counts, what the caller gets to see. */
@Timeout(30)
final class FailureClassesTest {

    private final Commands commands =
            Commands.builder().ticker(new ManualTicker()).build();
    private final AtomicInteger templateFilled = new AtomicInteger();

    @AfterEach
    void close() {
        commands.close();
    }

    /** Opens at the first thing that counts, so the breaker shows what did. */
    private CommandSpec.Builder<Call, String> touchy() {
        return Call.declared()
                .semaphore()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                    templateFilled.incrementAndGet();
                    return template;
                }));
    }

    private Throwable thrownBy(CommandSpec<Call, String> spec, Callable<String> body) {
        return catchThrowable(() -> new Call(commands, spec, "1", body).execute());
    }

    private CommandView view() {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals("Call"))
                .findFirst()
                .orElseThrow();
    }

    private CircuitState circuit() {
        return view().stages().get(0).circuit().state();
    }

    private long calls(CallOutcome outcome, Trigger trigger) {
        return view().calls(new CallKind(outcome, null, trigger));
    }

    @Test
    void a_bad_request_reaches_the_caller_unchanged_and_moves_no_breaker_but_is_counted() { // H2
        BadRequestException wrong = new BadRequestException("no such id");

        Throwable thrown = thrownBy(touchy().build(), () -> {
            throw wrong;
        });

        assertThat(thrown).isSameAs(wrong);
        assertThat(templateFilled).hasValue(0);
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
        assertThat(calls(CallOutcome.BAD_REQUEST, Trigger.NONE)).isEqualTo(1);
        assertThat(view().events(EventType.BAD_REQUEST)).isEqualTo(1);
        assertThat(view().stages().get(0).ended(StageReason.BAD_REQUEST)).isEqualTo(1);
    }

    @Test
    void an_ignored_checked_failure_comes_out_as_the_cause_of_a_command_exception() {
        FileNotFoundException missing = new FileNotFoundException("42");

        Throwable thrown = thrownBy(
                touchy().ignore(failure -> failure instanceof FileNotFoundException)
                        .build(),
                () -> {
                    throw missing;
                });

        assertThat(thrown).isInstanceOf(CommandException.class).hasCause(missing);
        assertThat(((CommandException) thrown).outcome()).isEqualTo(CallOutcome.BAD_REQUEST);
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void an_error_is_never_masked_and_counts() {
        AssertionError bug = new AssertionError("bug");

        Throwable thrown = thrownBy(touchy().build(), () -> {
            throw bug;
        });

        assertThat(thrown).isSameAs(bug);
        assertThat(bug.getSuppressed()).isEmpty();
        assertThat(templateFilled).hasValue(0);
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
        assertThat(calls(CallOutcome.FAILED, Trigger.FAILURE)).isEqualTo(1);
        assertThat(view().events(EventType.FAILURE)).isEqualTo(1);
        assertThat(view().events(EventType.FALLBACK_MISSING)).isZero();
    }

    @Test
    void what_a_command_calls_fatal_is_never_masked_either() {
        IllegalStateException fatal = new IllegalStateException("schema");

        Throwable thrown = thrownBy(
                touchy().fatal(failure -> failure instanceof IllegalStateException)
                        .build(),
                () -> {
                    throw fatal;
                });

        assertThat(thrown).isSameAs(fatal);
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void outside_fallback_on_no_stage_answers_and_the_breaker_learns_nothing() { // S2
        SecurityException forbidden = new SecurityException("403");

        Throwable thrown = thrownBy(
                touchy().fallbackOn(failure -> failure instanceof IOException).build(), () -> {
                    throw forbidden;
                });

        assertThat(thrown).isSameAs(forbidden);
        assertThat(templateFilled).hasValue(0);
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
        assertThat(calls(CallOutcome.FAILED, Trigger.FAILURE)).isEqualTo(1);
    }

    @Test
    void inside_fallback_on_a_stage_answers_and_the_breaker_learns() {
        CommandSpec<Call, String> spec =
                touchy().fallbackOn(failure -> failure instanceof IOException).build();

        String answer = new Call(commands, spec, "1", () -> {
                    throw new IOException("down");
                })
                .execute();

        assertThat(answer).isEqualTo("template");
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void a_throwing_rule_counts_as_matching_and_is_counted_once() {
        Throwable thrown = thrownBy(
                touchy().fatal(failure -> {
                            throw new UnsupportedOperationException("the rule is broken");
                        })
                        .build(),
                () -> {
                    throw new IllegalStateException("mine");
                });

        assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessage("mine");
        assertThat(view().stages().get(0).userMistakes()).isEqualTo(1);
    }

    @Test
    void null_from_the_primary_is_an_answer_and_is_not_kept() {
        CommandSpec<Call, String> spec = touchy().build();

        assertThat(new Call(commands, spec, "1", () -> null).execute()).isNull();
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
        assertThat(view().events(EventType.SUCCESS)).isEqualTo(1);
    }

    @Test
    void null_can_be_made_a_failure() {
        CommandSpec<Call, String> spec = touchy().nullIsFailure().build();

        assertThat(new Call(commands, spec, "1", () -> null).execute()).isEqualTo("template");
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void null_from_a_stage_is_a_miss_unless_it_says_otherwise() { // B86
        CommandSpec<Call, String> miss = Call.declared()
                .name("Miss")
                .semaphore()
                .fallback(chain -> chain.spareCall("second", (call, context) -> null)
                        .template(StaticTemplate.of("last", "template")))
                .build();
        CommandSpec<Call, String> allowed = Call.declared()
                .name("Allowed")
                .semaphore()
                .fallback(chain -> chain.spareCall("second", (call, context) -> null, stage -> stage.allowNull())
                        .template(StaticTemplate.of("last", "template")))
                .build();
        Callable<String> down = () -> {
            throw new IOException("down");
        };

        assertThat(new Call(commands, miss, "1", down).execute()).isEqualTo("template");
        assertThat(new Call(commands, allowed, "1", down).execute()).isNull();
    }

    @Test
    void an_interrupted_caller_gets_a_cancellation_its_flag_back_and_no_stage() throws Exception { // B47
        CommandSpec<Call, String> spec =
                touchy().threadPool(pool -> pool.size(1)).build();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (Callers callers = new Callers()) {
            FutureTask<Boolean> flag = callers.start(() -> {
                Throwable thrown = thrownBy(spec, () -> {
                    entered.countDown();
                    release.await();
                    return "never";
                });
                assertThat(thrown).isInstanceOf(CancellationException.class);
                return Thread.currentThread().isInterrupted();
            });
            entered.await();

            callers.interruptLast();

            assertThat(flag.get()).isTrue();
        }
        assertThat(templateFilled).hasValue(0);
        assertThat(calls(CallOutcome.CANCELLED, Trigger.NONE)).isEqualTo(1);
        assertThat(view().events(EventType.CANCELLED)).isEqualTo(1);
        assertThat(circuit()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void an_interrupt_in_a_pooled_body_that_nobody_sent_is_a_failure() {
        CommandSpec<Call, String> spec =
                touchy().threadPool(pool -> pool.size(1)).build();

        String answer = new Call(commands, spec, "1", () -> {
                    throw new InterruptedException("of the body's own making");
                })
                .execute();

        assertThat(answer).isEqualTo("template");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(circuit()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void a_throwing_template_is_a_failed_stage_and_the_caller_sees_the_primarys_failure() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                    throw new IllegalStateException("the fill is broken");
                }))
                .build();

        Throwable thrown = thrownBy(spec, () -> {
            throw new IOException("down");
        });

        assertThat(thrown).isInstanceOf(CommandException.class).hasRootCauseMessage("down");
        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies(later -> assertThat(later).hasMessage("the fill is broken"));
        assertThat(view().events(EventType.FALLBACK_FAILURE)).isEqualTo(1);
    }

    @Test
    void a_template_that_throws_an_error_is_a_failed_stage_too() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (template, call) -> {
                    throw new BadRequestException("not the request's fault, " + new AssertionError("the fill's"));
                }))
                .build();

        Throwable thrown = thrownBy(spec, () -> {
            throw new IOException("down");
        });

        assertThat(thrown).isInstanceOf(CommandException.class).hasRootCauseMessage("down");
        assertThat(calls(CallOutcome.FAILED, Trigger.FAILURE)).isEqualTo(1);
    }

    @Test
    void rules_said_twice_both_hold() {
        CommandSpec<Call, String> spec = touchy().ignore(failure -> failure instanceof IllegalStateException)
                .ignore(failure -> failure instanceof IOException)
                .build();

        assertThat(thrownBy(spec, () -> {
                    throw new IllegalStateException("one");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(thrownBy(spec, () -> {
                    throw new IOException("other");
                }))
                .hasRootCauseMessage("other");
        assertThat(templateFilled).hasValue(0);
    }

    @Test
    void without_a_chain_a_failure_is_fallback_missing() {
        CommandSpec<Call, String> spec = Call.declared().semaphore().build();

        Throwable thrown = thrownBy(spec, () -> {
            throw new IOException("down");
        });

        assertThat(thrown).isInstanceOf(CommandException.class).hasCauseInstanceOf(IOException.class);
        assertThat(view().events(EventType.FALLBACK_MISSING)).isEqualTo(1);
    }
}
