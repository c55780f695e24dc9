package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.StageReason;
import io.degradable.model.TemporaryRefusalException;
import io.degradable.model.Trigger;
import io.degradable.state.CircuitView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S12: nothing turns a check of rights that could not be made into a yes. */
@Timeout(60)
final class FailClosedTest {

    private static final CommandSpec<Call, String> CHECK = Call.declared()
            .name("MayRead")
            .threadPool(pool -> pool.named("rights"))
            .failClosed()
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
            .build();

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("mine").ticker(ticker).build();

    @AfterEach
    void close() {
        commands.close();
    }

    private static Callable<String> down() {
        return () -> {
            throw new IOException("rights service down");
        };
    }

    private Call check(Callable<String> body) {
        return new Call(commands, CHECK, "user-1", body);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_check_that_cannot_be_made_is_a_temporary_refusal_through_every_entry_point(EntryPoint entry) {
        Throwable failed = catchThrowable(() -> entry.run(check(down())));
        Throwable open = catchThrowable(() -> entry.run(check(() -> "yes")));

        assertThat(failed)
                .isInstanceOfSatisfying(
                        TemporaryRefusalException.class,
                        refusal -> assertThat(refusal.trigger()).isEqualTo(Trigger.FAILURE));
        assertThat(open)
                .isInstanceOfSatisfying(
                        TemporaryRefusalException.class,
                        refusal -> assertThat(refusal.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED));
    }

    @Test
    void forbidden_is_an_answer_and_not_a_refusal() {
        BadRequestException forbidden = new BadRequestException("forbidden");

        assertThatThrownBy(check(() -> {
                    throw forbidden;
                })::execute)
                .isSameAs(forbidden);
        assertThat(check(() -> "no").execute()).isEqualTo("no");
    }

    @Test
    void null_is_not_a_yes() {
        assertThatThrownBy(check(() -> null)::execute).isInstanceOf(TemporaryRefusalException.class);
    }

    @Test
    void no_chain_is_allowed() {
        assertThatThrownBy(() -> Call.declared()
                        .failClosed()
                        .fallback(chain -> chain.template(StaticTemplate.of("guess", "yes")))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("command Call: failClosed() allows no fallback chain: no stage may turn a check that failed"
                        + " into a yes; it has static");
    }

    @Test
    void no_stage_of_the_command_around_it_answers_for_a_check_that_failed() {
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .fallback(chain -> chain.spareCall("second", (call, context) -> "unchecked")
                        .cached(CacheSpec.named("pages"), call -> call.id, Duration.ofMinutes(5))
                        .template(StaticTemplate.of("last", "x")))
                .build();
        new Call(commands, page, "1", () -> "secret").execute();

        Throwable direct =
                catchThrowable(new Call(commands, page, "1", () -> check(down()).execute())::execute);
        Throwable refused = catchThrowable(
                new Call(commands, page, "1", () -> check(() -> "yes").execute())::execute);
        Throwable wrapped = catchThrowable(new Call(commands, page, "1", () -> {
            try {
                return check(() -> "yes").queue().join();
            } catch (RuntimeException failure) {
                throw new IllegalStateException("cannot show the page", failure);
            }
        })::execute);

        assertThat(direct).isInstanceOf(TemporaryRefusalException.class);
        assertThat(refused).isInstanceOf(TemporaryRefusalException.class);
        assertThat(wrapped).isInstanceOf(IllegalStateException.class).hasMessage("cannot show the page");
        CircuitView pageCircuit = commands.commands().stream()
                .filter(command -> command.key().name().equals("Page"))
                .findAny()
                .orElseThrow()
                .stages()
                .get(0)
                .circuit();
        assertThat(pageCircuit.state())
                .as("the page's own dependency is not to blame")
                .isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_spare_whose_check_fails_ends_the_run() {
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .fallback(chain -> chain.spareCall(
                                "second", (call, context) -> check(down()).execute())
                        .template(StaticTemplate.of("last", "x")))
                .build();

        assertThatThrownBy(new Call(commands, page, "1", () -> {
                    throw new IOException("down");
                })::execute)
                .isInstanceOf(TemporaryRefusalException.class);
    }

    @Test
    void a_refusal_names_its_command_and_its_cause() {
        CommandException refusal = (CommandException) catchThrowable(check(down())::execute);

        assertThat(refusal).hasMessageContaining("MayRead failed").hasCauseInstanceOf(IOException.class);
        assertThat(refusal.trail())
                .singleElement()
                .satisfies(primary -> assertThat(primary.reason()).isEqualTo(StageReason.EXCEPTION));
        assertThat(refusal.headers()).containsEntry("X-Data-Source", "none");
    }

    @Test
    void a_check_that_works_is_an_ordinary_call() {
        CommandResult<String> result = check(() -> "yes").executeForResult();

        assertThat(result.value()).isEqualTo("yes");
        assertThat(result.degraded()).isFalse();
    }

    @Test
    void its_own_rules_let_no_failure_out_that_the_command_around_it_would_answer_for() {
        CommandSpec<Call, String> strict = Call.declared()
                .name("Strict")
                .threadPool(pool -> pool.named("rights"))
                .failClosed()
                .fatal(IllegalStateException.class::isInstance)
                .fallbackOn(IOException.class::isInstance)
                .build();
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")))
                .build();

        for (RuntimeException failure :
                List.of(new IllegalStateException("fatal"), new IllegalArgumentException("unclassed"))) {
            assertThatThrownBy(new Call(
                            commands,
                            page,
                            "1",
                            () -> new Call(commands, strict, "user-1", () -> {
                                        throw failure;
                                    })
                                    .execute())::execute)
                    .isInstanceOf(TemporaryRefusalException.class)
                    .hasCause(failure);
        }
    }

    @Test
    void a_check_that_hangs_until_the_page_around_it_is_out_of_time_is_not_answered_by_the_page() throws Exception {
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .timeout(Duration.ofSeconds(1)) // as long as the check: either limit may be seen first
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")))
                .build();
        for (int round = 0; round < 200; round++) {
            CountDownLatch hangs = new CountDownLatch(1);
            CompletableFuture<String> future = new Call(
                            commands,
                            page,
                            "1",
                            () -> new Call(commands, CHECK, "user-1", () -> {
                                        hangs.countDown();
                                        new CountDownLatch(1).await();
                                        return "yes";
                                    })
                                    .execute())
                    .queue();
            hangs.await();
            ticker.untilWaiting(2); // the limit of the page, and the check's caller

            ticker.advance(Duration.ofSeconds(1));

            assertThatThrownBy(future::join).as("round %d", round).hasCauseInstanceOf(TemporaryRefusalException.class);
            commands.circuit("MayRead").forceClosed("test");
            // The interrupted bodies have to be out, or the pools could be full for the next round.
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> commands.pools().stream().allMatch(pool -> pool.active() == 0));
        }
        assertThat(new Call(commands, page, "1", () -> check(() -> "yes").execute() + ", so here").execute())
                .isEqualTo("yes, so here");
    }

    @DisplayName("S12: however many commands are between a page and a check that hangs, none of them is answered for")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_check_that_hangs_in_a_command_inside_the_page_is_not_answered_by_the_page(boolean onPool) throws Exception {
        CommandSpec.Builder<Call, String> between = Call.declared().name("Between");
        CommandSpec<Call, String> inside =
                (onPool ? between.timeout(Duration.ofSeconds(2)) : between.semaphore(1)).build();
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .timeout(Duration.ofMillis(500))
                .threadPool(pool -> pool.named("pages"))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")))
                .build();
        CountDownLatch hangs = new CountDownLatch(1);
        Callable<String> check = () -> new Call(commands, CHECK, "user-1", () -> {
                    hangs.countDown();
                    new CountDownLatch(1).await();
                    return "yes";
                })
                .execute();
        CompletableFuture<String> future =
                new Call(commands, page, "1", () -> new Call(commands, inside, "2", check).execute()).queue();
        hangs.await();
        ticker.untilWaiting(onPool ? 3 : 2); // the limit of the page, the caller of the command inside, the check's

        ticker.advance(Duration.ofMillis(500));

        assertThatThrownBy(future::join).hasCauseInstanceOf(TemporaryRefusalException.class);
    }

    @DisplayName("S12: whatever a page fails with after a check inside was not answered, nobody answers for the page")
    @Test
    void a_page_that_fails_as_it_waits_for_a_check_is_not_answered_for() throws Exception {
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")))
                .build();
        Call check = check(() -> {
            new CountDownLatch(1).await();
            return "yes";
        });
        Commands closed = Commands.create();
        closed.close();

        assertThatThrownBy(new Call(commands, page, "1", () -> check.queue().get(1, TimeUnit.MILLISECONDS))::execute)
                .as("a page that waits less long than the check may take")
                .isInstanceOf(TemporaryRefusalException.class)
                .hasCauseExactlyInstanceOf(TimeoutException.class);
        assertThatThrownBy(new Call(commands, page, "1", () -> closed.execute(check))::execute)
                .as("a check in a container that is closed")
                .isInstanceOf(TemporaryRefusalException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        ticker.advance(Duration.ofSeconds(1)); // the check that hangs is over
    }

    @DisplayName("S12: nor for a page that takes the failed check for a dependency that sheds load")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_page_that_is_overloaded_after_a_check_that_failed_is_not_answered_for(boolean onPool) {
        CommandSpec.Builder<Call, String> page = Call.declared()
                .name("Page")
                .overloaded(failure -> failure instanceof UnsupportedOperationException)
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")));
        CommandSpec<Call, String> spec = (onPool ? page : page.semaphore()).build();
        Call failing = new Call(commands, spec, "1", () -> {
            try {
                return check(down()).execute();
            } catch (TemporaryRefusalException refused) {
                throw new UnsupportedOperationException("try later", refused.getCause());
            }
        });

        assertThatThrownBy(failing::execute)
                .isInstanceOf(TemporaryRefusalException.class)
                .hasCauseExactlyInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_page_whose_checks_were_answered_may_be_answered_for() throws Exception {
        CommandSpec<Call, String> page = Call.declared()
                .name("Page")
                .fallback(chain -> chain.template(StaticTemplate.of("last", "x")))
                .build();
        CountDownLatch checked = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(commands, page, "1", () -> {
                    check(() -> "yes").execute();
                    checked.countDown();
                    new CountDownLatch(1).await();
                    return "never";
                })
                .queue();
        checked.await();

        ticker.advance(Duration.ofSeconds(1));

        assertThat(future.join()).isEqualTo("x");
    }
}
