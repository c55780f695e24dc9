package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.degradable.event.CommandEvent.RetryBudgetExhausted;
import io.degradable.model.BadRequestException;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.RecordedEvents;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** S4: a primary that failed is tried again, for repeatable work, within its own time and within what the command may add. */
@Timeout(30)
final class RetryTest {

    private static final Duration BACKOFF = Duration.ofMillis(50);

    private final ManualTicker ticker = new ManualTicker();
    private final RecordedEvents heard = new RecordedEvents();
    private final Commands commands =
            Commands.builder().ticker(ticker).inlineListener(heard).build();
    private final Callers callers = new Callers();
    private final AtomicInteger bodies = new AtomicInteger();

    @AfterEach
    void close() {
        callers.close();
        commands.close();
    }

    /** Fails into a template unless the body says otherwise; pauses 50, 100, 200 ms exactly. */
    private static CommandSpec.Builder<Call, String> retried(int attempts) {
        return Call.declared()
                .semaphore(1)
                .repeatable()
                .retry(retry -> retry.attempts(attempts)
                        .backoff(BACKOFF, BACKOFF.multipliedBy(4))
                        .jitter(0)
                        .budget(100, 1000))
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")));
    }

    /** A body that fails so many times before it answers. */
    private Call failing(CommandSpec<Call, String> spec, int times) {
        return new Call(commands, spec, "1", () -> {
            if (bodies.incrementAndGet() <= times) {
                throw new IOException("down " + bodies.get());
            }
            return "live";
        });
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private StageView primary() {
        return view().stages().get(0);
    }

    private void afterPause(Duration pause) throws InterruptedException {
        ticker.untilWaiting(1);
        ticker.advance(pause.minusNanos(1));
        ticker.untilWaiting(1); // not yet
        ticker.advance(Duration.ofNanos(1));
    }

    @ParameterizedTest
    @EnumSource
    void the_second_attempt_answers_and_the_call_is_a_normal_one(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = retried(2).build();

        FutureTask<String> answer = callers.start(() -> entry.run(failing(spec, 1)));
        afterPause(BACKOFF);

        assertThat(answer.get()).isEqualTo("live");
        assertThat(bodies).hasValue(2);
        await().until(() -> view().inFlight() == 0);
        assertThat(primary().left(StageReason.ANSWER)).isEqualTo(1);
        assertThat(primary().reached()).isEqualTo(1);
        assertThat(primary().ended(StageOutcome.FAILED))
                .as("each attempt is booked")
                .isEqualTo(1);
        assertThat(primary().retries()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE"})
    void pauses_double_up_to_the_longest_and_then_the_chain_is_entered(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec =
                retried(5).timeout(Duration.ofSeconds(5)).build();

        FutureTask<String> answer = callers.start(() -> entry.run(failing(spec, 9)));
        for (int factor : List.of(1, 2, 4, 4)) {
            afterPause(BACKOFF.multipliedBy(factor));
        }

        assertThat(answer.get()).isEqualTo("template");
        assertThat(bodies).hasValue(5);
        assertThat(primary().reached()).isEqualTo(1);
    }

    @Test
    void what_stands_is_the_last_attempts_failure() throws Exception {
        CommandSpec<Call, String> spec = retried(2).build();
        FutureTask<CommandResult<String>> answer =
                callers.start(() -> failing(spec, 9).executeForResult());
        afterPause(BACKOFF);

        CommandResult<String> result = answer.get();

        assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(result.cause()).hasValueSatisfying(cause -> assertThat(cause).hasMessage("down 2"));
        assertThat(result.elapsed()).isEqualTo(BACKOFF);
    }

    @Test
    void a_pause_is_between_its_length_less_the_jitter_and_its_length() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(1)
                .noCircuitBreaker()
                .repeatable()
                .retry(retry ->
                        retry.attempts(2).backoff(BACKOFF, BACKOFF).jitter(0.5).budget(100, 1000))
                .build();
        try (Commands real = Commands.create()) {
            List<Long> pauses = new ArrayList<>();
            for (int call = 0; call < 20; call++) {
                AtomicLong failedAt = new AtomicLong();
                var unused = new Call(real, spec, "1", () -> {
                            if (failedAt.compareAndSet(0, System.nanoTime())) {
                                throw new IOException("down");
                            }
                            pauses.add(System.nanoTime() - failedAt.get());
                            return "live";
                        })
                        .execute();
            }

            assertThat(pauses).allSatisfy(pause -> assertThat(pause).isGreaterThanOrEqualTo(BACKOFF.toNanos() / 2));
            assertThat(pauses).as("they differ").doesNotHaveDuplicates();
            assertThat(pauses).anySatisfy(pause -> assertThat(pause).isLessThan(BACKOFF.toNanos()));
        }
    }

    @Test
    void nothing_is_held_in_a_pause() throws Exception {
        CommandSpec<Call, String> spec = retried(2).build();
        FutureTask<String> pausing = callers.start(() -> failing(spec, 1).execute());
        ticker.untilWaiting(1);

        assertThat(primary().active()).isZero();
        assertThat(new Call(commands, spec, "2", () -> "other").execute())
                .as("the only slot is free")
                .isEqualTo("other");
        ticker.advance(BACKOFF);
        assertThat(pausing.get()).isEqualTo("live");
    }

    @Test
    void the_first_refusal_ends_it_and_the_failure_stands() throws Exception {
        CommandSpec<Call, String> spec = retried(5).build();
        FutureTask<CommandResult<String>> answer =
                callers.start(() -> failing(spec, 9).executeForResult());
        ticker.untilWaiting(1);
        commands.circuit("Call").forceOpen("test");
        ticker.advance(BACKOFF);

        CommandResult<String> result = answer.get();

        assertThat(bodies).hasValue(1);
        assertThat(result.trigger()).isEqualTo(Trigger.FAILURE);
        assertThat(result.cause()).hasValueSatisfying(cause -> assertThat(cause).hasMessage("down 1"));
        assertThat(primary().ended(StageOutcome.REFUSED)).isEqualTo(1);
        assertThat(primary().ended(StageOutcome.FAILED)).isEqualTo(1);
    }

    @Test
    void a_pause_that_would_outlast_the_timeout_is_not_begun() {
        CommandSpec<Call, String> spec = retried(5).timeout(BACKOFF).build();

        assertThat(failing(spec, 9).execute()).isEqualTo("template");

        assertThat(bodies).hasValue(1);
        assertThat(primary().retriesOverBudget()).isZero();
    }

    @Test
    void the_last_attempt_has_what_the_others_left_of_the_timeout() throws Exception {
        CommandSpec<Call, String> spec = retried(2)
                .threadPool(pool -> pool.named("one").size(1))
                .timeout(BACKOFF.multipliedBy(3))
                .build();
        HeldCall held = new HeldCall();
        FutureTask<CommandResult<String>> answer = callers.start(() -> new Call(commands, spec, "1", () -> {
                    if (bodies.incrementAndGet() == 1) {
                        ticker.advance(Duration.ofMillis(10));
                        throw new IOException("down");
                    }
                    return held.call();
                })
                .executeForResult());
        await().until(() -> primary().retries() == 1);
        ticker.untilWaiting(1);
        ticker.advance(BACKOFF);
        held.untilStarted(1);
        ticker.untilWaiting(1);

        ticker.advance(BACKOFF.multipliedBy(2).minusMillis(10));

        assertThat(answer.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(answer.get().elapsed()).isEqualTo(BACKOFF.multipliedBy(3));
        held.letGo();
    }

    static Stream<Arguments> finalFailures() {
        return Stream.of(
                arguments(new BadRequestException("wrong")),
                arguments(new IllegalStateException("fatal")),
                arguments(new UnsupportedOperationException("unclassed")),
                arguments(new ArithmeticException("overloaded")),
                arguments(new IllegalArgumentException("not worth it")),
                arguments(new AssertionError("an error")));
    }

    @ParameterizedTest
    @MethodSource("finalFailures")
    void what_will_not_go_away_is_not_tried_again(Throwable failure) {
        CommandSpec<Call, String> spec = retried(3)
                .fatal(IllegalStateException.class::isInstance)
                .overloaded(ArithmeticException.class::isInstance)
                .fallbackOn(thrown -> !(thrown instanceof UnsupportedOperationException))
                .retry(retry -> retry.backoff(BACKOFF, BACKOFF)
                        .onFailure(thrown -> !(thrown instanceof IllegalArgumentException)))
                .build();

        var unused = catchThrowable(() -> new Call(commands, spec, "1", () -> {
                    bodies.incrementAndGet();
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (Exception) failure;
                })
                .execute());

        assertThat(bodies).hasValue(1);
    }

    @DisplayName(
            "B147, S4: of 1,000 calls a second to a backend that is down it sees a tenth more, and one, in every second")
    @Test
    void a_command_adds_no_more_to_the_load_than_its_budget() {
        CommandSpec<Call, String> spec = retried(3)
                .noCircuitBreaker()
                .retry(retry -> retry.attempts(3)
                        .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
                        .jitter(1) // so that nobody has to wait
                        .budget(10, 1))
                .build();
        int seconds = 5;
        int[] seen = new int[seconds];
        long begin = ticker.nanos();

        for (int call = 0; call < seconds * 1_000; call++) {
            Call toBackend = new Call(commands, spec, "1", () -> {
                seen[(int) ((ticker.nanos() - begin) / 1_000_000_000)]++;
                throw new IOException("down");
            });
            assertThat(toBackend.execute()).isEqualTo("template");
            ticker.advance(Duration.ofMillis(1));
        }

        assertThat(seen).as("what the backend itself has counted").satisfies(counts -> {
            for (int count : counts) {
                assertThat(count).isBetween(1_100, 1_110);
            }
        });
        int extra = IntStream.of(seen).sum() - seconds * 1_000;
        assertThat(primary().retries()).isEqualTo(extra).isLessThanOrEqualTo(seconds * (100 + 1) + 1);
        assertThat(primary().retriesOverBudget())
                .as("each call that would have been tried again, and was not")
                .isGreaterThanOrEqualTo(seconds * 1_000 - extra);
        assertThat(heard.all(RetryBudgetExhausted.class))
                .as("told once in each second")
                .hasSize(seconds)
                .extracting(RetryBudgetExhausted::overBudget)
                .isSorted()
                .allMatch(denied -> denied > 0);
    }

    @Test
    void a_pause_ends_when_the_container_closes_and_the_chain_answers_within_the_grace() throws Exception {
        CommandSpec<Call, String> spec = retried(3).build();
        FutureTask<String> answer = callers.start(() -> failing(spec, 99).execute());
        ticker.untilWaiting(1);

        commands.close();

        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("template");
        assertThat(bodies).hasValue(1);
    }

    @DisplayName("S4: what was saved up in good times is bounded")
    @Test
    void many_good_calls_do_not_buy_a_storm() {
        CommandSpec<Call, String> spec = retried(3)
                .noCircuitBreaker()
                .retry(retry -> retry.attempts(2)
                        .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
                        .jitter(1)
                        .budget(100, 0.001))
                .build();
        for (int call = 0; call < 1_000; call++) {
            assertThat(failing(spec, 0).execute()).isEqualTo("live");
        }
        bodies.set(0);
        Call down = new Call(commands, spec, "1", () -> {
            bodies.incrementAndGet();
            throw new IOException("down");
        });

        for (int call = 0; call < 50; call++) {
            assertThat(down.execute()).isEqualTo("template");
        }

        assertThat(bodies).hasValue(100);
    }

    @Test
    void who_is_interrupted_in_a_pause_is_cancelled() throws Exception {
        CommandSpec<Call, String> spec = retried(2).build();
        FutureTask<Boolean> flag = callers.start(() -> {
            assertThatThrownBy(failing(spec, 9)::execute).isInstanceOf(CancellationException.class);
            return Thread.interrupted();
        });
        ticker.untilWaiting(1);

        callers.interruptLast();

        assertThat(flag.get()).isTrue();
        assertThat(bodies).hasValue(1);
    }

    @Test
    void a_future_cancelled_in_a_pause_ends_its_run_at_once() {
        CommandSpec<Call, String> spec = retried(2).build();
        CompletableFuture<String> future = failing(spec, 9).queue();

        assertThat(future.cancel(true)).isTrue();

        await().until(() -> view().inFlight() == 0);
        assertThat(bodies).hasValue(1);
        ticker.advance(BACKOFF);
        assertThat(bodies).as("the timer comes too late").hasValue(1);
    }

    @Test
    void a_container_that_closes_lets_the_failure_stand() {
        CommandSpec<Call, String> spec = retried(2).build();
        CompletableFuture<String> future = failing(spec, 9).queue();

        commands.close();

        assertThat(future.join()).isEqualTo("template");
        assertThat(bodies).hasValue(1);
    }

    @Test
    void a_write_that_the_other_side_knows_is_tried_again_and_the_answer_stands() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(1)
                .operationId(call -> call.id)
                .repeatable()
                .retry(retry ->
                        retry.attempts(2).backoff(BACKOFF, BACKOFF).jitter(0).budget(100, 1000))
                .build();
        FutureTask<CommandResult<String>> answer = callers.start(() -> new Call(commands, spec, "1", () -> {
                    if (bodies.incrementAndGet() == 1) {
                        throw new SocketTimeoutException("no answer");
                    }
                    return "done";
                })
                .executeForResult());
        afterPause(BACKOFF);

        assertThat(answer.get().source()).isEqualTo(Source.PRIMARY);
        assertThat(answer.get().outcomeUnknown()).isFalse();
    }

    private static Arguments refused(String message, Consumer<RetrySpec> retry) {
        return arguments(message, retry);
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                refused("retry.attempts must be from 2 to 10, the first included, was 1", retry -> retry.attempts(1)),
                refused("retry.attempts must be from 2 to 10, the first included, was 0", retry -> retry.attempts(0)),
                refused(
                        "retry.attempts must be from 2 to 10, the first included, was 2147483647",
                        retry -> retry.attempts(Integer.MAX_VALUE)),
                refused(
                        "retry.backoff must be positive, was 0 ms",
                        retry -> retry.backoff(Duration.ZERO, Duration.ofMillis(1))),
                refused(
                        "retry.maxBackoff must not be below retry.backoff of 2 ms, was 1 ms",
                        retry -> retry.backoff(Duration.ofMillis(2), Duration.ofMillis(1))),
                refused("retry.jitter must be from 0 to 1, was NaN", retry -> retry.jitter(Double.NaN)),
                refused("retry.jitter must be from 0 to 1, was -0.1", retry -> retry.jitter(-0.1)),
                refused("retry.budget must be a percentage from 0 to 100, was 101", retry -> retry.budget(101, 1)),
                refused(
                        "retry.budget per second must be more than 0 and at most a million, was 0.0",
                        retry -> retry.budget(10, 0)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contradictions")
    void a_retry_that_makes_no_sense_is_refused(String message, Consumer<RetrySpec> retry) {
        assertThatThrownBy(() -> Call.declared().repeatable().retry(retry).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("command Call: " + message);
    }

    @Test
    void what_must_not_be_repeated_is_not() {
        assertThatThrownBy(() -> Call.declared().retry(retry -> {}).build())
                .hasMessage(
                        "command Call: retry(...) needs repeatable(): say that run() may be run several times for one"
                                + " call");
        assertThatThrownBy(() ->
                        Call.declared().write().repeatable().retry(retry -> {}).build())
                .hasMessage(
                        "command Call: write() without operationId(...) allows no retry: it could do the work twice");
    }

    @Test
    void without_a_chain_the_last_failure_is_the_cause() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore(1)
                .repeatable()
                .retry(retry -> retry.attempts(2).backoff(BACKOFF, BACKOFF).jitter(0))
                .build();
        FutureTask<Throwable> thrown = callers.start(() -> catchThrowable(failing(spec, 9)::execute));
        afterPause(BACKOFF);

        assertThat(thrown.get()).isInstanceOf(CommandException.class).cause().hasMessage("down 2");
    }
}
