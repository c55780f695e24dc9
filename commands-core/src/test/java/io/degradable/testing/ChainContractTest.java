package io.degradable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.model.FallbackContext;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of chains holds for good ones, and names command, trigger and stage for each way to break it. */
@Timeout(60)
final class ChainContractTest {

    private static final StaticTemplate<String> UNKNOWN = StaticTemplate.of("unknown", "static");

    private interface Spare {
        @Nullable
        String answer(FallbackContext context) throws Exception;
    }

    /** The user's own container, in which nothing may move. */
    private final Commands commands = Commands.create();

    private final AtomicInteger bodies = new AtomicInteger();
    private final List<Trigger> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void close() {
        never.countDown();
        commands.close();
    }

    private static CommandSpec.Builder<CallableCommand<String>, String> declared() {
        return CommandSpec.<String>callable("GetProduct").group("catalog").timeout(Duration.ofMillis(250));
    }

    private CommandSpec.Builder<CallableCommand<String>, String> withSpare(Spare spare) {
        return declared()
                .fallback(chain -> chain.within(Duration.ofMillis(500))
                        .spareCall(
                                "replica",
                                (command, context) -> {
                                    asked.add(context.trigger());
                                    return spare.answer(context);
                                },
                                stage -> stage.timeout(Duration.ofMillis(250)))
                        .template(UNKNOWN));
    }

    private ChainContract contract(CommandSpec.Builder<CallableCommand<String>, String> spec) {
        CommandSpec<CallableCommand<String>, String> built = spec.build();
        return ChainContract.of(
                () -> new CallableCommand<>(commands, built, "42", () -> "live " + bodies.incrementAndGet()));
    }

    private static String broken(ChainContract contract) {
        AssertionError error = catchThrowableOfType(AssertionError.class, contract::check);
        assertThat(error).isNotNull();
        return String.valueOf(error.getMessage());
    }

    @Test
    void a_good_chain_is_run_for_every_trigger_without_its_primary_and_without_the_users_container() {
        contract(withSpare(context -> "spare")).check();

        assertThat(bodies).hasValue(0);
        assertThat(commands.commands()).isEmpty();
        // Asked for what it is entered for, once to answer; taken away afterwards it is asked no more.
        assertThat(asked).containsExactly(Trigger.FAILURE, Trigger.TIMEOUT, Trigger.SWITCH);
    }

    @Test
    void a_good_chain_keeps_its_contract_whatever_the_command_takes_for_a_wrong_request() {
        contract(declared()
                        .ignore(failure -> failure instanceof IllegalStateException)
                        .fallback(chain -> chain.spareCall("replica", (command, context) -> "spare")
                                .template(UNKNOWN)))
                .check();
    }

    @Test
    void every_trigger_a_primary_can_end_with_is_forced_on_each_kind_of_bulkhead() {
        for (boolean semaphore : new boolean[] {false, true}) {
            asked.clear();
            Trigger rejected = semaphore ? Trigger.SEMAPHORE_REJECTED : Trigger.THREAD_POOL_REJECTED;
            CommandSpec.Builder<CallableCommand<String>, String> spec = declared()
                    .fallback(chain -> chain.within(Duration.ofSeconds(20)) // a busy machine gives threads late
                            .spareCall(
                                    "replica",
                                    (command, context) -> {
                                        asked.add(context.trigger());
                                        return "spare";
                                    },
                                    stage -> stage.timeout(Duration.ofSeconds(10))
                                            .on(
                                                    Trigger.FAILURE,
                                                    Trigger.TIMEOUT,
                                                    rejected,
                                                    Trigger.SHORT_CIRCUITED,
                                                    Trigger.OVERLOADED))
                            .template(UNKNOWN));

            contract(semaphore ? spec.semaphore() : spec).check();

            assertThat(asked)
                    .containsExactly(
                            Trigger.FAILURE,
                            Trigger.TIMEOUT,
                            rejected,
                            Trigger.SHORT_CIRCUITED,
                            Trigger.OVERLOADED,
                            Trigger.SWITCH);
        }
    }

    @Test
    void a_stage_that_throws_is_named_with_command_and_trigger_although_a_later_one_answers() {
        IOException broken = new IOException("broken codec");
        ChainContract contract = contract(withSpare(context -> {
            throw broken;
        }));

        AssertionError error = catchThrowableOfType(AssertionError.class, contract::check);

        assertThat(error)
                .hasMessageContaining("the chain of GetProduct breaks its contract:")
                .hasMessageContaining("FAILURE: replica throws java.io.IOException: broken codec")
                .hasMessageContaining("TIMEOUT: replica throws java.io.IOException: broken codec")
                .hasMessageContaining("static answered");
        assertThat(String.valueOf(error.getMessage()).split("replica throws", -1))
                .hasSize(4);
        assertThat(error.getSuppressed()).contains(broken);
    }

    @Test
    void a_stage_that_returns_null_is_named() {
        assertThat(broken(contract(withSpare(context -> null))))
                .contains("FAILURE: replica returns null")
                .contains("TIMEOUT: replica returns null");
    }

    @Test
    void a_stage_that_never_ends_is_named_and_does_not_hang_the_test() {
        assertThat(broken(contract(withSpare(context -> {
                    never.await();
                    return "late";
                }))))
                .contains("FAILURE: replica does not end within its limit");
    }

    @Test
    void a_stage_behind_one_that_answers_is_asked_too() {
        ChainContract contract = contract(declared()
                .fallback(chain -> chain.spareCall("replica", (command, context) -> "spare")
                        .template(UNKNOWN, (template, command) -> {
                            throw new IllegalStateException("no price");
                        })));

        assertThat(broken(contract))
                .contains("FAILURE, with replica taken away: static throws java.lang.IllegalStateException: no price")
                .contains("SHORT_CIRCUITED: static throws java.lang.IllegalStateException: no price");
    }

    @Test
    void a_template_that_never_ends_is_given_up_after_the_slack() {
        ChainContract contract = contract(declared()
                        .fallback(chain -> chain.template(UNKNOWN, (template, command) -> {
                            awaitForever();
                            return template;
                        })))
                .without(
                        Trigger.TIMEOUT,
                        Trigger.OVERLOADED,
                        Trigger.THREAD_POOL_REJECTED,
                        Trigger.SHORT_CIRCUITED,
                        Trigger.SWITCH)
                .slack(Duration.ofMillis(100));

        AssertionError error = catchThrowableOfType(AssertionError.class, contract::check);

        assertThat(error).hasMessageContaining("FAILURE: static does not end");
        assertThat(error.getSuppressed()[0].getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("awaitForever"));
    }

    private void awaitForever() {
        boolean released = false;
        while (!released) {
            try {
                never.await();
                released = true;
            } catch (InterruptedException goesOn) {
                // The worst kind of body: it does not obey.
            }
        }
    }

    @Test
    void a_trigger_that_no_stage_answers_is_named_until_it_is_left_out() {
        CommandSpec.Builder<CallableCommand<String>, String> spareOnly =
                declared().fallback(chain -> chain.spareCall("replica", (command, context) -> "spare"));

        assertThat(broken(contract(spareOnly)))
                .contains("THREAD_POOL_REJECTED: no stage answers")
                .contains("SHORT_CIRCUITED: no stage answers")
                .contains("OVERLOADED: no stage answers")
                .doesNotContain("FAILURE: no")
                .doesNotContain("TIMEOUT: no");
        assertThatCode(contract(spareOnly)
                        .without(Trigger.THREAD_POOL_REJECTED, Trigger.SHORT_CIRCUITED, Trigger.OVERLOADED)::check)
                .doesNotThrowAnyException();
    }

    @Test
    void the_failure_can_be_one_that_the_command_lets_stages_answer_for() {
        CommandSpec.Builder<CallableCommand<String>, String> picky = declared()
                .fallbackOn(failure -> failure instanceof ArithmeticException)
                .fallback(chain -> chain.template(UNKNOWN));

        assertThat(broken(contract(picky)))
                .contains("FAILURE: no stage answers")
                .doesNotContain("OVERLOADED");
        contract(picky).failingWith(new ArithmeticException("overflow")).check();
    }

    @Test
    void a_command_without_a_limit_cannot_time_out() {
        contract(declared().noTimeout().fallback(chain -> chain.template(UNKNOWN)))
                .check();

        assertThat(bodies).hasValue(0);
    }
}
