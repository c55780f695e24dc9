package io.degradable;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CircuitView;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.reactivex.rxjava3.disposables.Disposable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What users of Hystrix rely on, and what comes of it here. Where the rules of this library differ, the name of the test
 * says what happens instead.
 */
@Timeout(30)
final class HystrixBehavioursTest {

    private static final Duration LIMIT = Trouble.TIMEOUT_AFTER;
    private static final Duration SLEEP = Duration.ofSeconds(5);
    private static final StaticTemplate<String> LAST = StaticTemplate.of("last", "template");

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch refused = new CountDownLatch(15);
    private final AtomicInteger bodies = new AtomicInteger();
    private final AtomicInteger fallbacks = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        while (refused.getCount() > 0) {
            refused.countDown();
        }
        callers.close();
        commands.close();
    }

    // ---- the fixture ----

    private static CommandSpec.Builder<Call, String> declared() {
        return Call.declared().timeout(LIMIT);
    }

    private CommandSpec<Call, String> withFallback(CommandSpec.Builder<Call, String> builder) {
        return builder.fallback(chain -> chain.template(LAST, (template, call) -> {
                    fallbacks.incrementAndGet();
                    return template;
                }))
                .build();
    }

    private CommandSpec<Call, String> withFailingFallback(CommandSpec.Builder<Call, String> builder) {
        return builder.fallback(chain -> chain.template(LAST, (template, call) -> {
                    fallbacks.incrementAndGet();
                    throw new IllegalStateException("fallback, too");
                }))
                .build();
    }

    private Call call(CommandSpec<Call, String> spec, Callable<String> body) {
        return new Call(commands, spec, "1", () -> {
            bodies.incrementAndGet();
            return body.call();
        });
    }

    private Call good(CommandSpec<Call, String> spec) {
        return call(spec, () -> "live");
    }

    private Call bad(CommandSpec<Call, String> spec) {
        return call(spec, () -> {
            throw new IOException("down");
        });
    }

    /** A body that outlasts its limit, which comes the moment it has begun. */
    private Call late(CommandSpec<Call, String> spec) {
        return call(spec, () -> {
            ticker.advance(LIMIT);
            release.await();
            return "late";
        });
    }

    /** Holds a slot of a command until the test ends or lets go. */
    private FutureTask<CommandResult<String>> hold(CommandSpec<Call, String> spec) throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        FutureTask<CommandResult<String>> held = callers.call(call(spec, () -> {
            entered.countDown();
            release.await();
            return "live";
        }));
        entered.await();
        return held;
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private StageView primary() {
        return view("Call").stages().get(0);
    }

    private CircuitView circuit() {
        return primary().circuit();
    }

    private static Map<EventType, Long> events(CommandView view) {
        Map<EventType, Long> moved = new EnumMap<>(EventType.class);
        for (EventType event : EventType.values()) {
            if (view.events(event) > 0) {
                moved.put(event, view.events(event));
            }
        }
        return moved;
    }

    private Map<EventType, Long> events() {
        return events(view("Call"));
    }

    private void untilAtRest() {
        await().until(() -> view("Call").inFlight() == 0 && primary().active() == 0);
    }

    // ---- answers and failures, through every entry point ----

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_success_is_a_value_and_one_event(EntryPoint point) throws Exception {
        String answer = point.run(good(withFallback(declared())));

        assertThat(answer).isEqualTo("live");
        assertThat(events()).containsOnly(entry(EventType.SUCCESS, 1L));
        assertThat(fallbacks).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void an_instance_may_run_again_and_each_run_is_one_of_its_own(EntryPoint point) throws Exception {
        Call twice = call(withFallback(declared()), () -> "live " + bodies.get());

        String first = point.run(twice);
        String second = point.run(twice);

        assertThat(List.of(first, second)).containsExactly("live 1", "live 2");
        assertThat(events()).containsOnly(entry(EventType.SUCCESS, 2L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_failure_without_a_fallback_is_an_exception_with_the_bodys_as_cause(EntryPoint point) {
        CommandException thrown = catchThrowableOfType(
                CommandException.class, () -> point.run(bad(declared().build())));

        assertThat(thrown).hasCauseInstanceOf(IOException.class).hasRootCauseMessage("down");
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_MISSING, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_failure_with_a_fallback_is_the_fallbacks_value(EntryPoint point) throws Exception {
        String answer = point.run(bad(withFallback(declared())));

        assertThat(answer).isEqualTo("template");
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_SUCCESS, 1L));
    }

    @Test
    void a_failure_behind_a_fallback_can_still_be_read() {
        CommandResult<String> result = bad(withFallback(declared())).executeForResult();

        assertThat(result.degraded()).isTrue();
        assertThat(result.cause()).get().isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void when_the_fallback_fails_too_both_failures_can_be_reached(EntryPoint point) {
        CommandException thrown =
                catchThrowableOfType(CommandException.class, () -> point.run(bad(withFailingFallback(declared()))));

        assertThat(thrown).hasRootCauseMessage("down");
        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies(fallback -> assertThat(fallback).hasMessage("fallback, too"));
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_FAILURE, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_stage_that_is_not_for_the_trigger_is_never_called_as_a_disabled_fallback_was_not(EntryPoint point) {
        CommandSpec<Call, String> spec = declared()
                .fallback(chain -> chain.template(
                        LAST,
                        (template, call) -> {
                            fallbacks.incrementAndGet();
                            return template;
                        },
                        stage -> stage.on(Trigger.TIMEOUT)))
                .build();

        Throwable thrown = catchThrowable(() -> point.run(bad(spec)));

        assertThat(thrown).isInstanceOf(CommandException.class).hasRootCauseMessage("down");
        assertThat(fallbacks).hasValue(0);
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_MISSING, 1L));
    }

    @ParameterizedTest
    @EnumSource(value = Trouble.class)
    void whatever_the_trouble_a_future_fails_when_it_is_asked_and_queue_itself_never_throws(Trouble trouble)
            throws Exception {
        CommandSpec<Call, String> spec = trouble.declared().build();

        CompletableFuture<String> future = trouble.provoke(commands, ticker, spec, Call::queue);

        assertThat(future).isNotNull();
        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CommandException.class)
                .cause()
                .extracting(failed -> ((CommandException) failed).trigger())
                .isEqualTo(trouble.trigger());
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_bad_request_is_thrown_as_it_is_and_is_no_error(EntryPoint point) {
        BadRequestException wrong = new BadRequestException("no such id");
        CommandSpec<Call, String> spec = withFallback(declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1).errorThresholdPercentage(1)));

        Throwable thrown = catchThrowable(() -> point.run(call(spec, () -> {
            throw wrong;
        })));

        assertThat(thrown).isSameAs(wrong);
        assertThat(fallbacks).hasValue(0);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(circuit().bad() + circuit().good()).isZero();
        assertThat(events()).containsOnly(entry(EventType.BAD_REQUEST, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void what_no_stage_may_answer_reaches_the_caller_unwrapped(EntryPoint point) {
        SecurityException forbidden = new SecurityException("403");
        CommandSpec<Call, String> spec = withFallback(declared().fallbackOn(failure -> failure instanceof IOException));

        Throwable thrown = catchThrowable(() -> point.run(call(spec, () -> {
            throw forbidden;
        })));

        assertThat(thrown).isSameAs(forbidden);
        assertThat(fallbacks).hasValue(0);
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void no_error_is_ever_masked_by_a_fallback_recoverable_or_not(EntryPoint point) {
        CommandSpec<Call, String> spec = withFallback(declared());

        for (Error error : List.of(
                new AssertionError("recoverable"),
                new OutOfMemoryError("unrecoverable"),
                new NoClassDefFoundError("unrecoverable"))) {
            Throwable thrown = catchThrowable(() -> point.run(call(spec, () -> {
                throw error;
            })));

            assertThat(thrown).isSameAs(error);
        }
        assertThat(fallbacks).hasValue(0);
        assertThat(circuit().bad()).isEqualTo(3);
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 3L));
    }

    // ---- timeouts ----

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_timeout_without_a_fallback_is_an_exception_at_the_limit_and_not_at_the_bodys_end(EntryPoint point) {
        long begun = ticker.nanos();

        Throwable thrown = catchThrowable(() -> point.run(late(declared().build())));

        assertThat(thrown).isInstanceOf(CommandException.class).hasCauseInstanceOf(TimeoutException.class);
        assertThat(ticker.nanos() - begun).isEqualTo(LIMIT.toNanos());
        assertThat(events()).containsOnly(entry(EventType.TIMEOUT, 1L), entry(EventType.FALLBACK_MISSING, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_timeout_with_a_fallback_is_the_fallbacks_value(EntryPoint point) throws Exception {
        String answer = point.run(late(withFallback(declared())));

        assertThat(answer).isEqualTo("template");
        assertThat(events()).containsOnly(entry(EventType.TIMEOUT, 1L), entry(EventType.FALLBACK_SUCCESS, 1L));
    }

    @Test
    void a_result_says_both_that_it_timed_out_and_that_it_comes_from_a_fallback() {
        CommandResult<String> result = late(withFallback(declared())).executeForResult();

        assertThat(result.trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(result.degraded()).isTrue();
        assertThat(result.elapsed()).isEqualTo(LIMIT);
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_timeout_and_a_failing_fallback_are_an_exception(EntryPoint point) {
        Throwable thrown = catchThrowable(() -> point.run(late(withFailingFallback(declared()))));

        assertThat(thrown).isInstanceOf(CommandException.class).hasCauseInstanceOf(TimeoutException.class);
        assertThat(events()).containsOnly(entry(EventType.TIMEOUT, 1L), entry(EventType.FALLBACK_FAILURE, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_success_after_the_limit_is_never_counted_as_one(EntryPoint point) throws Exception {
        CommandSpec<Call, String> spec = withFallback(declared().interruptOnTimeout(false));

        String answer = point.run(late(spec));
        release.countDown();
        untilAtRest();
        await().until(() -> primary().lateSuccesses() == 1);

        assertThat(answer).isEqualTo("template");
        assertThat(events()).containsOnly(entry(EventType.TIMEOUT, 1L), entry(EventType.FALLBACK_SUCCESS, 1L));
        assertThat(circuit().good()).isZero();
        assertThat(circuit().bad()).isEqualTo(1);
    }

    @Test
    void a_fallback_slower_than_its_budget_is_not_waited_for() {
        CommandSpec<Call, String> spec = declared()
                .fallback(chain -> chain.within(Duration.ofMillis(50)).spareCall("second", (call, context) -> {
                    ticker.advance(Duration.ofMillis(50));
                    release.await();
                    return "slow";
                }))
                .build();

        CommandException thrown = catchThrowableOfType(CommandException.class, bad(spec)::execute);

        assertThat(thrown.trail())
                .extracting(StageReport::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.TIMEOUT);
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_FAILURE, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void without_a_timeout_a_body_may_take_as_long_as_it_wants(EntryPoint point) throws Exception {
        CommandSpec<Call, String> spec = withFallback(Call.declared().noTimeout());

        String answer = point.run(call(spec, () -> {
            ticker.advance(Duration.ofHours(1));
            return "live";
        }));

        assertThat(answer).isEqualTo("live");
        assertThat(events()).containsOnly(entry(EventType.SUCCESS, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_timeout_interrupts_the_body(EntryPoint point) throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);

        String answer = point.run(call(withFallback(declared()), () -> {
            ticker.advance(LIMIT);
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return "late";
        }));

        assertThat(answer).isEqualTo("template");
        interrupted.await();
        untilAtRest();
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_timeout_leaves_the_body_alone_when_the_setting_says_so(EntryPoint point) throws Exception {
        AtomicReference<Boolean> undisturbed = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);

        String answer = point.run(call(withFallback(declared().interruptOnTimeout(false)), () -> {
            ticker.advance(LIMIT);
            try {
                release.await();
                undisturbed.set(true);
            } finally {
                ended.countDown();
            }
            return "late";
        }));
        release.countDown();
        ended.await();

        assertThat(answer).isEqualTo("template");
        assertThat(undisturbed).hasValue(true);
    }

    // ---- refusals ----

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_short_circuited_call_takes_no_time_and_runs_no_body(EntryPoint point) throws Exception {
        CommandSpec<Call, String> spec =
                withFallback(declared().circuitBreaker(breaker -> breaker.requestVolumeThreshold(1)));
        bad(spec).execute();

        String answer = point.run(good(spec));
        CommandResult<String> result = good(spec).executeForResult();

        assertThat(answer).isEqualTo("template");
        assertThat(bodies).hasValue(1);
        assertThat(result.trail().get(0).elapsed()).isEqualTo(Duration.ZERO);
        assertThat(events())
                .containsOnly(
                        entry(EventType.FAILURE, 1L),
                        entry(EventType.SHORT_CIRCUITED, 2L),
                        entry(EventType.FALLBACK_SUCCESS, 3L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_call_that_finds_the_pool_full_gets_the_fallback(EntryPoint point) throws Exception {
        CommandSpec<Call, String> spec = withFallback(declared().threadPool(pool -> pool.size(1)));
        FutureTask<CommandResult<String>> held = hold(spec);

        String answer = point.run(good(spec));
        release.countDown();

        assertThat(answer).isEqualTo("template");
        assertThat(held.get().value()).isEqualTo("live");
        assertThat(events())
                .containsOnly(
                        entry(EventType.SUCCESS, 1L),
                        entry(EventType.THREAD_POOL_REJECTED, 1L),
                        entry(EventType.FALLBACK_SUCCESS, 1L));
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_rejection_and_a_failing_fallback_are_one_exception_with_both(EntryPoint point) throws Exception {
        CommandSpec<Call, String> spec = withFailingFallback(declared().threadPool(pool -> pool.size(1)));
        FutureTask<CommandResult<String>> held = hold(spec);

        CommandException thrown = catchThrowableOfType(CommandException.class, () -> point.run(good(spec)));
        release.countDown();

        assertThat(thrown).hasMessageContaining("primary refused: thread pool full");
        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies(fallback -> assertThat(fallback).hasMessage("fallback, too"));
        assertThat(held.get().value()).isEqualTo("live");
        assertThat(events())
                .containsOnly(
                        entry(EventType.SUCCESS, 1L),
                        entry(EventType.THREAD_POOL_REJECTED, 1L),
                        entry(EventType.FALLBACK_FAILURE, 1L));
    }

    @Test
    void the_queue_takes_as_many_as_it_says_and_the_next_is_refused() throws Exception {
        CommandSpec<Call, String> spec =
                withFallback(declared().threadPool(pool -> pool.size(1).queue(2)));
        FutureTask<CommandResult<String>> held = hold(spec);
        CompletableFuture<String> second = good(spec).queue();
        CompletableFuture<String> third = good(spec).queue();

        String fourth = good(spec).execute();
        release.countDown();

        assertThat(fourth).isEqualTo("template");
        assertThat(List.of(held.get().value(), second.get(), third.get())).containsOnly("live");
        assertThat(view("Call").events(EventType.THREAD_POOL_REJECTED)).isEqualTo(1);
    }

    @Test
    void of_two_slow_fallbacks_at_once_the_second_is_rejected_where_one_may_run() throws Exception {
        CountDownLatch inFallback = new CountDownLatch(1);
        CommandSpec<Call, String> spec = declared()
                .fallback(chain -> chain.spareCall(
                        "second",
                        (call, context) -> {
                            inFallback.countDown();
                            release.await();
                            return "spare";
                        },
                        stage -> stage.threadPool(pool -> pool.size(1))))
                .build();
        FutureTask<CommandResult<String>> first = callers.call(bad(spec));
        inFallback.await();

        CommandException second = catchThrowableOfType(CommandException.class, bad(spec)::execute);
        release.countDown();

        assertThat(first.get().value()).isEqualTo("spare");
        assertThat(second).hasRootCauseMessage("down"); // the original failure is not lost
        assertThat(events())
                .containsOnly(
                        entry(EventType.FAILURE, 2L),
                        entry(EventType.FALLBACK_SUCCESS, 1L),
                        entry(EventType.FALLBACK_REJECTION, 1L));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void of_two_callers_of_a_semaphore_for_one_the_second_is_refused(boolean fallback) throws Exception {
        CommandSpec.Builder<Call, String> one = declared().semaphore(1);
        CommandSpec<Call, String> spec = fallback ? withFallback(one) : one.build();
        FutureTask<CommandResult<String>> first = hold(spec);
        List<String> answers = new ArrayList<>();

        Throwable thrown = catchThrowable(() -> answers.add(good(spec).execute()));
        release.countDown();

        assertThat(first.get().value()).isEqualTo("live");
        assertThat(bodies).hasValue(1);
        if (fallback) {
            assertThat(answers).containsExactly("template");
        } else {
            assertThat(thrown).isInstanceOf(CommandException.class).hasMessageContaining("semaphore full");
        }
        assertThat(events())
                .containsOnly(
                        entry(EventType.SUCCESS, 1L),
                        entry(EventType.SEMAPHORE_REJECTED, 1L),
                        entry(fallback ? EventType.FALLBACK_SUCCESS : EventType.FALLBACK_MISSING, 1L));
    }

    @Test
    void semaphores_of_two_commands_do_not_meet() throws Exception {
        CommandSpec<Call, String> full = declared().semaphore(1).build();
        CommandSpec<Call, String> other = declared().name("Other").semaphore(1).build();
        FutureTask<CommandResult<String>> held = hold(full);

        assertThat(good(other).execute()).isEqualTo("live");
        assertThat(held.isDone()).isFalse();
        assertThat(events(view("Other"))).containsOnly(entry(EventType.SUCCESS, 1L));
    }

    // ---- threads, runs within runs, Rx ----

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void with_a_semaphore_the_body_runs_on_its_caller_else_on_a_thread_of_the_named_pool(EntryPoint point)
            throws Exception {
        CommandSpec<Call, String> inline = declared().semaphore().build();
        CommandSpec<Call, String> pooled = declared()
                .name("Pooled")
                .threadPool(pool -> pool.named("its-own"))
                .build();

        String here = point.run(call(inline, () -> Thread.currentThread().getName()));
        String there = point.run(call(pooled, () -> Thread.currentThread().getName()));

        assertThat(here).isEqualTo(Thread.currentThread().getName());
        assertThat(there).contains("its-own").isNotEqualTo(here);
    }

    @Test
    void what_depends_on_an_answer_runs_on_no_thread_of_the_pool() throws Exception {
        CommandSpec<Call, String> spec =
                declared().threadPool(pool -> pool.named("its-own")).build();
        CountDownLatch subscribed = new CountDownLatch(1);
        CompletableFuture<String> seen = new CompletableFuture<>();

        Disposable subscription = call(spec, () -> {
                    subscribed.await();
                    return "live";
                })
                .toMaybe()
                .subscribe(answer -> seen.complete(Thread.currentThread().getName()), seen::completeExceptionally);
        subscribed.countDown();

        assertThat(seen.get())
                .doesNotContain("its-own")
                .isNotEqualTo(Thread.currentThread().getName());
        assertThat(subscription.isDisposed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void a_command_in_the_body_of_another_works_and_both_are_counted(EntryPoint point) throws Exception {
        CommandSpec<Call, String> inner = declared().name("Inner").build();
        CommandSpec<Call, String> outer = withFallback(declared());

        String answer = point.run(call(outer, () -> "outer of " + point.run(good(inner))));

        assertThat(answer).isEqualTo("outer of live");
        assertThat(events(view("Inner"))).containsOnly(entry(EventType.SUCCESS, 1L));
        assertThat(events()).containsOnly(entry(EventType.SUCCESS, 1L));
    }

    @Test
    void a_command_in_a_fallback_is_counted_under_its_own_name_too() {
        CommandSpec<Call, String> inner = withFallback(declared().name("Inner"));
        CommandSpec<Call, String> outer = declared()
                .fallback(chain ->
                        chain.spareCall("second", (call, context) -> bad(inner).execute()))
                .build();

        assertThat(bad(outer).execute()).isEqualTo("template");
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_SUCCESS, 1L));
        assertThat(events(view("Inner")))
                .containsOnly(entry(EventType.FAILURE, 1L), entry(EventType.FALLBACK_SUCCESS, 1L));
    }

    @Test
    void taking_the_first_and_leaving_after_it_is_a_success_and_no_cancellation() {
        CommandSpec<Call, String> spec = withFallback(declared());

        String taken = good(spec).toMaybe().toFlowable().take(1).blockingFirst();
        String observed = good(spec).observe().toObservable().firstOrError().blockingGet();

        assertThat(List.of(taken, observed)).containsOnly("live");
        assertThat(events()).containsOnly(entry(EventType.SUCCESS, 2L));
    }

    @Test
    void an_rx_retry_runs_the_body_again_since_every_subscription_is_a_run() {
        CommandSpec<Call, String> spec = declared().build();

        Throwable thrown = catchThrowable(() -> bad(spec).toMaybe().retry(2).blockingGet());

        assertThat(thrown).isInstanceOf(CommandException.class).hasRootCauseMessage("down");
        assertThat(bodies).hasValue(3);
        assertThat(events()).containsOnly(entry(EventType.FAILURE, 3L), entry(EventType.FALLBACK_MISSING, 3L));
    }

    @Test
    void an_observed_run_that_failed_fails_for_all_who_come_and_ran_once() {
        var hot = bad(declared().build()).observe();

        assertThat(catchThrowable(hot::blockingGet)).hasRootCauseMessage("down");
        assertThat(catchThrowable(hot::blockingGet)).hasRootCauseMessage("down");
        assertThat(bodies).hasValue(1);
    }

    // ---- the breaker ----

    private CommandSpec<Call, String> guarded() {
        return withFallback(declared()
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(4)
                        .errorThresholdPercentage(50)
                        .probes(1)
                        .noRamp())); // Hystrix has none
    }

    private void open(CommandSpec<Call, String> spec) {
        for (int call = 0; call < 4; call++) {
            bad(spec).execute();
        }
        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void it_opens_when_enough_calls_fail_or_time_out(boolean timeouts) {
        CommandSpec<Call, String> spec = guarded();
        good(spec).execute();
        good(spec).execute();

        for (int call = 0; call < 2; call++) {
            assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
            (timeouts ? late(spec) : bad(spec)).execute();
        }

        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        assertThat(good(spec).executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(bodies).hasValue(4);
    }

    @Test
    void it_stays_closed_below_the_share() {
        CommandSpec<Call, String> spec = guarded();
        for (int call = 0; call < 6; call++) {
            good(spec).execute();
        }

        for (int call = 0; call < 5; call++) {
            bad(spec).execute();
        }

        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    void it_stays_closed_below_the_volume_however_many_of_them_fail() {
        CommandSpec<Call, String> spec = guarded();

        for (int call = 0; call < 3; call++) {
            bad(spec).execute();
        }

        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    void no_number_of_failures_blocks_a_command_without_a_breaker() {
        CommandSpec<Call, String> spec = withFallback(declared().noCircuitBreaker());

        for (int call = 0; call < 100; call++) {
            bad(spec).execute();
        }

        assertThat(bodies).hasValue(100);
        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
    }

    @Test
    void of_many_callers_after_the_sleep_window_exactly_one_runs_the_body() throws Exception {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        ticker.advance(SLEEP);
        CyclicBarrier start = new CyclicBarrier(16);
        List<FutureTask<CommandResult<String>>> answers = new ArrayList<>();

        for (int caller = 0; caller < 16; caller++) {
            answers.add(callers.start(() -> {
                start.await();
                CommandResult<String> result = call(spec, () -> {
                            refused.await(); // the probe is in flight as long as the others ask
                            return "live";
                        })
                        .executeForResult();
                if (result.degraded()) {
                    refused.countDown();
                }
                return result;
            }));
        }
        List<Trigger> triggers = new ArrayList<>();
        for (FutureTask<CommandResult<String>> answer : answers) {
            triggers.add(answer.get().trigger());
        }

        assertThat(triggers).containsOnly(Trigger.NONE, Trigger.SHORT_CIRCUITED).containsOnlyOnce(Trigger.NONE);
        assertThat(bodies).hasValue(4 + 1);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_good_probe_closes_it_and_the_old_errors_are_forgotten() {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        ticker.advance(SLEEP);

        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);

        for (int call = 0; call < 3; call++) { // with the old errors these would be enough
            bad(spec).execute();
        }
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(circuit().bad()).isEqualTo(3);
    }

    @Test
    void a_bad_probe_opens_it_for_another_full_window_and_from_the_second_on_for_longer() {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        List<Duration> windows = new ArrayList<>();

        for (int round = 0; round < 5; round++) {
            Duration window = circuit().opensFor();
            windows.add(window);
            ticker.advance(window.minusNanos(1));
            assertThat(bad(spec).executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
            ticker.advance(Duration.ofNanos(1));
            assertThat(bad(spec).executeForResult().trigger()).isEqualTo(Trigger.FAILURE);
        }

        assertThat(windows.subList(0, 2)).containsExactly(SLEEP, SLEEP);
        assertThat(windows.get(2)).isBetween(SLEEP.multipliedBy(9).dividedBy(5), SLEEP.multipliedBy(2));
        assertThat(windows.get(3)).isBetween(SLEEP.multipliedBy(18).dividedBy(5), SLEEP.multipliedBy(4));
        assertThat(windows.get(4)).isBetween(Duration.ofSeconds(27), Duration.ofSeconds(30));
        ticker.advance(circuit().opensFor());
        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_probe_that_is_a_bad_request_decides_nothing_and_the_next_call_is_a_probe() {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        ticker.advance(SLEEP);

        assertThatThrownBy(call(spec, () -> {
                    throw new BadRequestException("wrong");
                })::execute)
                .isInstanceOf(BadRequestException.class);

        assertThat(circuit().state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_probe_whose_subscriber_left_makes_room_for_the_next_at_once() throws Exception {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        ticker.advance(SLEEP);
        CountDownLatch entered = new CountDownLatch(1);
        Disposable probe = call(spec, () -> {
                    entered.countDown();
                    release.await();
                    return "never";
                })
                .toMaybe()
                .subscribe(answer -> {}, failure -> {}, () -> {});
        entered.await();
        assertThat(good(spec).executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);

        probe.dispose();
        untilAtRest();

        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(view("Call").events(EventType.CANCELLED)).isEqualTo(1);
    }

    @Test
    void a_probe_that_times_out_opens_it_again_and_the_next_window_probes_again() {
        CommandSpec<Call, String> spec = guarded();
        open(spec);
        ticker.advance(SLEEP);

        assertThat(late(spec).executeForResult().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        assertThat(good(spec).executeForResult().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        ticker.advance(SLEEP);

        assertThat(good(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
    }
}
