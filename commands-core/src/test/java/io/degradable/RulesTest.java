package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Freshness;
import io.degradable.cache.Timestamped;
import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decided rules of failures and of the chain that no other test shows through the front door. */
@Timeout(30)
final class RulesTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final StaticTemplate<String> LAST = StaticTemplate.of("last", "template");
    private static final Duration LIMIT = Trouble.TIMEOUT_AFTER;
    private static final Set<EventType> FALLBACKS = EnumSet.of(
            EventType.FALLBACK_SUCCESS,
            EventType.FALLBACK_FAILURE,
            EventType.FALLBACK_REJECTION,
            EventType.FALLBACK_MISSING);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger filled = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        callers.close();
        commands.close();
    }

    private Call failing(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        });
    }

    private CommandView view(String name) {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private CommandView view() {
        return view("Call");
    }

    private String countingFill(String template, Call call) {
        filled.incrementAndGet();
        return template;
    }

    // ---- failures and outcomes ----

    @ParameterizedTest
    @EnumSource(
            value = EntryPoint.class,
            names = {"EXECUTE", "EXECUTE_FOR_RESULT"},
            mode = EnumSource.Mode.EXCLUDE)
    void thrown_unchanged_a_checked_failure_comes_out_of_futures_and_rx_as_it_is(EntryPoint entry) {
        FileNotFoundException missing = new FileNotFoundException("42");
        CommandSpec<Call, String> spec = Call.declared()
                .ignore(failure -> failure instanceof FileNotFoundException)
                .fallback(chain -> chain.template(LAST))
                .build();

        Throwable thrown = catchThrowable(() -> entry.run(new Call(commands, spec, "1", () -> {
            throw missing;
        })));

        assertThat(thrown).isSameAs(missing);
        assertThat(missing.getSuppressed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bad request", "ignored", "error", "fatal"})
    void what_ends_the_run_when_the_primary_throws_it_ends_it_when_a_spare_does(String what) {
        RuntimeException exception =
                what.equals("bad request") ? new BadRequestException("404") : new IllegalStateException(what);
        Throwable thrown = what.equals("error") ? new AssertionError("bug") : exception;
        CommandSpec<Call, String> spec = Call.declared()
                .ignore(failure -> "ignored".equals(failure.getMessage()))
                .fatal(failure -> "fatal".equals(failure.getMessage()))
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            if (thrown instanceof Error error) {
                                throw error;
                            }
                            throw exception;
                        })
                        .template(LAST, this::countingFill))
                .build();

        Throwable caught = catchThrowable(failing(spec)::execute);

        assertThat(caught).isSameAs(thrown);
        assertThat(caught.getSuppressed()).isEmpty();
        assertThat(filled).hasValue(0);
        boolean wrong = what.equals("bad request") || what.equals("ignored");
        assertThat(view().calls(new CallKind(
                        wrong ? CallOutcome.BAD_REQUEST : CallOutcome.FAILED, null, Trigger.FAILURE)))
                .isEqualTo(1);
        assertThat(FALLBACKS.stream().mapToLong(event -> view().events(event)).sum())
                .isEqualTo(wrong ? 0 : 1);
        assertThat(view().events(EventType.FALLBACK_FAILURE)).isEqualTo(wrong ? 0 : 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void in_a_cache_it_is_a_failed_stage(boolean error) {
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.cached(
                                COPIES,
                                call -> {
                                    if (error) {
                                        throw new AssertionError("the key's");
                                    }
                                    throw new BadRequestException("the key's");
                                },
                                Duration.ofMinutes(1))
                        .template(LAST))
                .build();

        CommandResult<String> result = failing(spec).executeForResult();

        assertThat(result.value()).isEqualTo("template");
        assertThat(result.trail())
                .extracting(StageReport::outcome)
                .containsExactly(StageOutcome.FAILED, StageOutcome.FAILED, StageOutcome.ANSWERED);
        assertThat(view().events(EventType.BAD_REQUEST)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"factory", "mapper"})
    void a_function_of_a_spare_command_that_throws_fails_the_stage_only(String broken) {
        CommandSpec<Call, String> spare = Call.declared()
                .name("Spare")
                .threadPool(pool -> pool.named("spare"))
                .build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareMapped(
                                spare,
                                call -> {
                                    if (broken.equals("factory")) {
                                        throw new IllegalStateException(broken);
                                    }
                                    return new Call(commands, spare, call.id, () -> "spare");
                                },
                                answer -> {
                                    throw new IllegalStateException(broken);
                                })
                        .template(LAST))
                .build();

        CommandResult<String> result = failing(spec).executeForResult();

        assertThat(result.value()).isEqualTo("template");
        assertThat(result.trail().get(1).cause()).hasMessage(broken);
        assertThat(view().stages().get(1).left(StageReason.EXCEPTION)).isEqualTo(1);
        assertThat(view("Spare").received()).isZero();
    }

    @Test
    void a_caller_interrupted_while_a_spare_runs_gets_a_cancellation_and_no_further_stage() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            entered.countDown();
                            release.await();
                            return "spare";
                        })
                        .template(LAST, this::countingFill))
                .build();
        FutureTask<Boolean> flag = callers.start(() -> {
            assertThat(catchThrowable(failing(spec)::execute)).isInstanceOf(CancellationException.class);
            return Thread.currentThread().isInterrupted();
        });
        entered.await();

        callers.interruptLast();

        assertThat(flag.get()).isTrue();
        assertThat(filled).hasValue(0);
        assertThat(view().calls(new CallKind(CallOutcome.CANCELLED, null, Trigger.FAILURE)))
                .isEqualTo(1);
        assertThat(view().events(EventType.CANCELLED)).isEqualTo(1);
        assertThat(FALLBACKS.stream().mapToLong(event -> view().events(event)).sum())
                .isZero();
        assertThat(view().stages().get(1).circuit().bad()).isZero();
    }

    @Test
    void a_caller_who_goes_before_a_stage_that_would_be_skipped_is_among_the_kinds_of_call_that_are_counted() {
        CountDownLatch queued = new CountDownLatch(1);
        List<Runnable> goingOn = Collections.synchronizedList(new ArrayList<>());
        try (Commands slow =
                Commands.builder().ticker(ticker).continuations(goingOn::add).build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .fallback(chain -> chain.template(LAST, stage -> stage.on(Trigger.TIMEOUT)))
                    .build();
            CompletableFuture<String> future = slow.queue(new Call(slow, spec, "1", () -> {
                queued.await();
                throw new IOException("down");
            }));
            queued.countDown();
            await().until(() -> !goingOn.isEmpty());

            future.cancel(true);
            goingOn.get(0).run();

            CommandView counted = slow.commands().iterator().next();
            assertThat(counted.calls(new CallKind(CallOutcome.CANCELLED, null, Trigger.FAILURE)))
                    .isEqualTo(1);
            assertThat(counted.possibleCalls().stream()
                            .mapToLong(counted::calls)
                            .sum())
                    .isEqualTo(counted.received());
        }
    }

    /** Chains of which no stage answers, and the one event that tells how. */
    enum Unanswered {
        NO_CHAIN(EventType.FALLBACK_MISSING),
        ALL_SKIPPED(EventType.FALLBACK_MISSING),
        ONE_REFUSED(EventType.FALLBACK_REJECTION),
        ONE_SKIPPED_ONE_REFUSED(EventType.FALLBACK_REJECTION),
        ONE_REFUSED_ONE_MISSED(EventType.FALLBACK_FAILURE),
        ONE_MISSED(EventType.FALLBACK_FAILURE);

        private final EventType event;

        Unanswered(EventType event) {
            this.event = event;
        }
    }

    @ParameterizedTest
    @EnumSource(Unanswered.class)
    void one_event_says_how_the_chain_was_of_no_use(Unanswered how) {
        CommandSpec<Call, String> open = Call.declared()
                .name("Open")
                .threadPool(pool -> pool.named("open"))
                .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
                .build();
        var unused = catchThrowable(failing(open)::execute);
        UnaryOperator<CommandSpec.Builder<Call, String>> chained = builder -> switch (how) {
            case NO_CHAIN -> builder;
            case ALL_SKIPPED -> builder.fallback(chain -> chain.template(LAST, stage -> stage.on(Trigger.TIMEOUT)));
            case ONE_REFUSED -> builder.fallback(chain -> chain.spare(open, call -> failing(open)));
            case ONE_SKIPPED_ONE_REFUSED ->
                builder.fallback(chain ->
                        chain.spare(open, call -> failing(open)).template(LAST, stage -> stage.on(Trigger.TIMEOUT)));
            case ONE_REFUSED_ONE_MISSED ->
                builder.fallback(chain -> chain.spare(open, call -> failing(open))
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1)));
            case ONE_MISSED -> builder.fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1)));
        };
        CommandSpec<Call, String> spec = chained.apply(Call.declared()).build();

        Throwable thrown = catchThrowable(failing(spec)::execute);

        assertThat(thrown).isInstanceOf(CommandException.class).hasRootCauseMessage("down");
        for (EventType fallback : FALLBACKS) {
            assertThat(view().events(fallback)).as("%s", fallback).isEqualTo(fallback == how.event ? 1 : 0);
        }
    }

    @Test
    void without_an_answer_a_call_whose_body_never_started_is_rejected_also_when_it_timed_out_in_the_queue()
            throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.size(1).queue(1))
                .timeout(LIMIT)
                .interruptOnTimeout(false)
                .build();
        CountDownLatch entered = new CountDownLatch(1);
        CompletableFuture<String> started = new Call(commands, spec, "1", () -> {
                    entered.countDown();
                    release.await();
                    return "late";
                })
                .queue();
        entered.await();
        CompletableFuture<String> queued = new Call(commands, spec, "1", () -> "never").queue();

        ticker.advance(LIMIT);

        assertThat(outcomeOf(started)).isEqualTo(CallOutcome.FAILED);
        assertThat(outcomeOf(queued)).isEqualTo(CallOutcome.REJECTED);
        assertThat(view().calls(new CallKind(CallOutcome.FAILED, null, Trigger.TIMEOUT)))
                .isEqualTo(1);
        assertThat(view().calls(new CallKind(CallOutcome.REJECTED, null, Trigger.TIMEOUT)))
                .isEqualTo(1);
    }

    private static CallOutcome outcomeOf(CompletableFuture<String> future) throws Exception {
        return future.handle((answer, failure) -> ((CommandException) failure).outcome())
                .get();
    }

    @Test
    void null_from_the_primary_is_good_for_the_breaker_and_never_kept() {
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1)))
                .build();

        assertThat(new Call(commands, spec, "1", () -> null).execute()).isNull();

        assertThat(view().stages().get(0).circuit().good()).isEqualTo(1);
        assertThat(commands.cache(COPIES).size()).isZero();
        assertThat(view().stages().get(0).userMistakes()).isZero();
    }

    // ---- the chain ----

    @Test
    void a_function_spare_has_a_pool_of_its_own_of_the_primarys_size() {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.named("primarys").size(7))
                .fallback(chain -> chain.spareCall(
                        "second", (call, context) -> Thread.currentThread().getName()))
                .build();

        String thread = failing(spec).execute();

        assertThat(spec.settings().stages().get(0).guard().bulkhead())
                .isInstanceOfSatisfying(BulkheadSettings.ThreadPool.class, pool -> {
                    assertThat(pool.size()).isEqualTo(7);
                    assertThat(pool.name()).isNotEqualTo("primarys");
                    assertThat(thread).contains(pool.name()).doesNotContain("primarys");
                });
        assertThat(commands.pools()).hasSize(2);
    }

    @Test
    void a_spare_that_promises_to_end_by_itself_may_run_on_a_semaphore() {
        CommandSpec<Call, String> brief = Call.declared()
                .name("Brief")
                .semaphore()
                .boundedBy(Duration.ofMillis(5))
                .build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spare(brief, call -> new Call(commands, brief, call.id, () -> "brief")))
                .build();

        assertThat(failing(spec).execute()).isEqualTo("brief");
    }

    @ParameterizedTest
    @EnumSource(EntryPoint.class)
    void after_a_timeout_no_function_of_the_chain_runs_on_the_primarys_pool_or_on_a_timer(EntryPoint entry)
            throws Exception {
        List<String> threads = Collections.synchronizedList(new ArrayList<>());
        try (Commands real = Commands.create()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .threadPool(pool -> pool.named("primarys").size(1))
                    .timeout(Duration.ofMillis(20))
                    .fallback(chain -> chain.within(Duration.ofSeconds(10))
                            .spareCall(
                                    "second",
                                    (call, context) -> {
                                        threads.add(Thread.currentThread().getName());
                                        throw new IOException("second is down, too");
                                    },
                                    stage -> stage.timeout(Duration.ofSeconds(10)))
                            .cached(
                                    COPIES,
                                    call -> {
                                        threads.add(Thread.currentThread().getName());
                                        return call.id;
                                    },
                                    Duration.ofMinutes(1))
                            .template(LAST, (template, call) -> {
                                threads.add(Thread.currentThread().getName());
                                return template;
                            }))
                    .build();

            String answer = entry.run(new Call(real, spec, "1", () -> {
                new CountDownLatch(1).await();
                return "never";
            }));

            CommandSpec<Call, String> withoutSpare = Call.declared()
                    .name("WithoutSpare")
                    .threadPool(pool -> pool.named("primarys").size(1))
                    .timeout(Duration.ofMillis(20))
                    .fallback(chain -> chain.template(LAST, (template, call) -> {
                        threads.add(Thread.currentThread().getName());
                        return template;
                    }))
                    .build();
            String other = entry.run(new Call(real, withoutSpare, "1", () -> {
                new CountDownLatch(1).await();
                return "never";
            }));

            assertThat(List.of(answer, other)).containsOnly("template");
            assertThat(threads)
                    .hasSize(4)
                    .noneMatch(thread -> thread.contains("primarys"))
                    .noneMatch(thread -> thread.contains("timer"));
        }
    }

    @Test
    void an_answer_that_comes_after_its_caller_has_gone_is_kept_with_the_stamp_of_its_start() throws Exception {
        CommandSpec<Call, String> spec = Call.declared()
                .timeout(LIMIT)
                .interruptOnTimeout(false)
                .fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(LAST))
                .build();

        String early = new Call(commands, spec, "1", () -> {
                    ticker.advance(LIMIT);
                    release.await();
                    return "late";
                })
                .execute();
        ticker.advance(Duration.ofSeconds(1));
        release.countDown();
        await().until(() -> view().stages().get(0).lateSuccesses() == 1);
        CommandResult<String> next = failing(spec).executeForResult();

        assertThat(early).isEqualTo("template");
        assertThat(next.value()).isEqualTo("late");
        assertThat(next.age()).contains(LIMIT.plusSeconds(1));
    }

    @Test
    void a_slow_answer_does_not_replace_a_newer_copy_and_an_invalidation_keeps_out_what_began_before_it() {
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .noTimeout()
                .fallback(chain -> chain.cached(COPIES, call -> call.id, Duration.ofMinutes(1)))
                .build();
        Duration moment = Duration.ofMillis(1);

        new Call(commands, spec, "1", () -> {
                    ticker.advance(moment);
                    new Call(commands, spec, "1", () -> "newer").execute();
                    return "older";
                })
                .execute();
        new Call(commands, spec, "2", () -> {
                    ticker.advance(moment);
                    commands.cache(COPIES).invalidate("2");
                    return "from before";
                })
                .execute();

        assertThat(commands.cache(COPIES).read("1", Duration.ofHours(1)).value())
                .isEqualTo("newer");
        assertThat(commands.cache(COPIES).read("2", Duration.ofHours(1)).freshness())
                .isEqualTo(Freshness.ABSENT);
        assertThat(commands.cache(COPIES).droppedPuts()).isEqualTo(2);
    }

    @Test
    void only_the_primary_fills_the_cache() {
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.spareCall("second", (call, context) -> {
                            if (call.id.equals("none")) {
                                throw new IOException("second is down, too");
                            }
                            return "spare";
                        })
                        .cached(COPIES, call -> call.id, Duration.ofMinutes(1))
                        .template(LAST))
                .build();
        Timestamped<String> copy = new Timestamped<>("copy", ticker.nanos());

        assertThat(failing(spec).execute()).isEqualTo("spare");
        assertThat(commands.cache(COPIES).size()).isZero();
        commands.cache(COPIES).put("1", copy);
        assertThat(failing(spec).execute()).isEqualTo("spare");
        assertThat(commands.cache(COPIES).read("1", Duration.ofHours(1)).value())
                .isEqualTo("copy");
    }

    @Test
    void by_default_a_run_has_the_primarys_timeout_and_the_chains_budget_and_no_more() {
        List<Duration> left = new ArrayList<>();
        CommandSpec<Call, String> spec = Call.declared()
                .semaphore()
                .timeout(LIMIT)
                .fallback(chain -> chain.within(Duration.ofMillis(250))
                        .spareCall(
                                "second",
                                (call, context) -> {
                                    left.add(Deadline.current().remaining());
                                    return "spare";
                                },
                                stage -> stage.on(Trigger.FAILURE, Trigger.TIMEOUT)
                                        .timeout(Duration.ofMillis(250))))
                .build();

        new Call(commands, spec, "1", () -> {
                    ticker.advance(LIMIT.plusMillis(70)); // on the caller's own thread, who cannot leave
                    throw new IOException("down");
                })
                .execute();

        assertThat(left).containsExactly(Duration.ofMillis(250 - 70));
    }

    @Test
    void a_spare_commands_timeout_is_capped_by_the_chains_budget_and_the_cap_is_no_fault_of_the_spare() {
        CommandSpec<Call, String> spare = Call.declared()
                .name("Spare")
                .threadPool(pool -> pool.named("spare"))
                .timeout(Duration.ofSeconds(10))
                .build();
        CommandSpec<Call, String> spec = Call.declared()
                .fallback(chain -> chain.within(Duration.ofMillis(50))
                        .spare(
                                spare,
                                call -> new Call(commands, spare, call.id, () -> {
                                    ticker.advance(Duration.ofMillis(50));
                                    release.await();
                                    return "late";
                                }))
                        .template(LAST))
                .build();

        CommandResult<String> result = failing(spec).executeForResult();

        assertThat(result.trail())
                .extracting(StageReport::reason)
                .containsExactly(StageReason.EXCEPTION, StageReason.BUDGET, StageReason.ANSWER);
        assertThat(result.source()).isEqualTo(Source.STATIC);
        await().until(() -> view("Spare").stages().get(0).active() == 0);
        assertThat(view("Spare").stages().get(0).circuit().bad()).isZero();
    }
}
