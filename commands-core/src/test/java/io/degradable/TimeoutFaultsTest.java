package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong elsewhere when time runs out, seen from the front door: every entry point, both drivers. */
@Timeout(30)
final class TimeoutFaultsTest {

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final CallKind CANCELLED = new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final HeldCall held = new HeldCall();
    private final HeldCall occupier = new HeldCall();

    @AfterEach
    void close() {
        held.letGo();
        occupier.letGo();
        callers.close();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> pooled(int size, int queue) {
        return Call.declared()
                .timeout(LIMIT)
                .threadPool(pool -> pool.named("few").size(size).queue(queue));
    }

    private static CommandSpec.Builder<Call, String> withTemplate(CommandSpec.Builder<Call, String> builder) {
        return builder.fallback(chain -> chain.template(StaticTemplate.of("last", "template")));
    }

    private Call live(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "live", () -> "live");
    }

    private Call hold(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "held", held);
    }

    private CommandView view() {
        return commands.commands().stream()
                .filter(command -> command.key().name().equals("Call"))
                .findFirst()
                .orElseThrow();
    }

    private StageView primary() {
        return view().stages().get(0);
    }

    private void untilAtRest() {
        await().until(() ->
                view().inFlight() == 0 && primary().active() == 0 && primary().orphans() == 0);
    }

    /** Takes the only thread of the pool of {@link #pooled}, through a command without a limit, until it is let go. */
    private void occupyTheWorker(int queue) throws InterruptedException {
        var unused =
                new Call(commands, pooled(1, queue).name("Occupier").noTimeout().build(), "occupier", occupier).queue();
        occupier.untilStarted(1);
    }

    @DisplayName("B40, B41, B45, B48: the caller leaves at the limit; worker and slot are the body's until it ends")
    @ParameterizedTest
    @EnumSource
    void a_body_that_ignores_its_interrupt_holds_up_nobody_but_its_slot(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = withTemplate(pooled(1, 0)).build();
        FutureTask<String> answer = callers.start(() -> entry.run(hold(spec)));
        held.untilStarted(1);
        ticker.untilWaiting(1);

        ticker.advance(LIMIT);

        assertThat(answer.get()).isEqualTo("template");
        held.untilInterrupted();
        assertThat(live(spec).executeForResult().trigger()).isEqualTo(Trigger.THREAD_POOL_REJECTED);
        assertThat(primary().orphans()).isEqualTo(1);
        held.letGo();
        untilAtRest();
        assertThat(primary().lateSuccesses()).isEqualTo(1);
        assertThat(view().events(EventType.TIMEOUT)).isEqualTo(1);
        assertThat(view().events(EventType.SUCCESS)).isZero();
        String next = entry.run(new Call(commands, spec, "next", () -> {
            Thread worker = Thread.currentThread();
            return "same worker " + (worker == held.thread()) + ", interrupted " + worker.isInterrupted();
        }));
        assertThat(next).isEqualTo("same worker true, interrupted false");
    }

    /** A channel whose closing hangs; an interrupt closes it, on the thread that interrupts. */
    private static final class HangingChannel extends AbstractInterruptibleChannel {

        private final CountDownLatch closing = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private volatile boolean closed;

        String read() throws IOException {
            begin();
            try {
                LockSupport.park(this);
            } finally {
                end(false);
            }
            return "nothing was read";
        }

        @Override
        protected void implCloseChannel() {
            closing.countDown();
            awaitUnchecked(letGo);
            closed = true;
        }
    }

    @DisplayName("B45: to interrupt a body can take long, and nobody who has something else to do is held up by it")
    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE", "TO_MAYBE"})
    void a_channel_that_hangs_while_it_is_closed_holds_up_its_worker_alone(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = withTemplate(pooled(2, 0)).build();
        HangingChannel channel = new HangingChannel();
        FutureTask<String> answer = callers.start(() -> entry.run(new Call(commands, spec, "reader", channel::read)));
        ticker.untilWaiting(1);
        await().until(() -> primary().active() == 1);

        ticker.advance(LIMIT); // runs the timer's tasks, too: it would not return

        assertThat(answer.get()).isEqualTo("template");
        channel.closing.await();
        assertThat(channel.closed).as("closed, as its caller has gone on").isFalse();
        FutureTask<String> second = callers.start(() -> entry.run(hold(spec)));
        held.untilStarted(1);
        ticker.untilWaiting(1);
        ticker.advance(LIMIT);
        assertThat(second.get()).isEqualTo("template");
        assertThat(channel.closed).as("closed, as the next call has timed out").isFalse();
        channel.letGo.countDown();
        held.letGo();
        untilAtRest();
        assertThat(entry.run(new Call(
                        commands,
                        spec,
                        "next",
                        () -> "" + Thread.currentThread().isInterrupted())))
                .isEqualTo("false");
    }

    @DisplayName("B42: four calls time out, two bodies have started, and both are seen running on")
    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE", "TO_MAYBE"})
    void no_more_bodies_start_than_there_are_threads(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = withTemplate(pooled(2, 2)).build();
        List<FutureTask<String>> answers = new ArrayList<>();
        for (int call = 0; call < 4; call++) {
            answers.add(callers.start(() -> entry.run(hold(spec))));
        }
        held.untilStarted(2);
        ticker.untilWaiting(4);

        ticker.advance(LIMIT);

        for (FutureTask<String> answer : answers) {
            assertThat(answer.get()).isEqualTo("template");
        }
        assertThat(primary().orphans()).isEqualTo(2);
        assertThat(primary().active()).isEqualTo(2);
        assertThat(primary().queued()).as("who left the queue left it at once").isZero();
        held.letGo();
        untilAtRest();
        assertThat(held.starts()).isEqualTo(2);
        assertThat(primary().lateSuccesses()).isEqualTo(2);
    }

    @DisplayName(
            "B41, B43: on its own thread a caller cannot leave; it gets the late answer, and the slot is not free before")
    @ParameterizedTest
    @EnumSource
    void a_semaphore_is_free_when_the_body_ends(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec =
                withTemplate(Call.declared().timeout(LIMIT).semaphore(1)).build();
        FutureTask<String> answer = callers.start(() -> entry.run(hold(spec)));
        held.untilStarted(1);

        ticker.advance(LIMIT.plusNanos(1));

        assertThat(live(spec).executeForResult().trigger()).isEqualTo(Trigger.SEMAPHORE_REJECTED);
        held.letGo();
        assertThat(answer.get()).isEqualTo("held");
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(primary().overruns()).isEqualTo(1);
        assertThat(primary().circuit().bad()).isEqualTo(1);
        assertThat(live(spec).executeForResult().source()).isEqualTo(Source.PRIMARY);
    }

    @DisplayName("B43: the late answer says that it is late, and the future is done when it is given out")
    @Test
    void a_late_answer_on_the_callers_thread_says_so() {
        CommandSpec<Call, String> spec =
                Call.declared().timeout(LIMIT).semaphore(1).build();
        Call late = new Call(commands, spec, "late", () -> {
            ticker.advance(LIMIT.plusNanos(1));
            return "late";
        });

        List<CommandResult<String>> results = List.of(
                late.executeForResult(),
                late.queueForResult().getNow(live(spec).executeForResult()),
                late.toResultSingle().blockingGet());

        assertThat(results).allSatisfy(result -> {
            assertThat(result.value()).isEqualTo("late");
            assertThat(result.overrun()).isTrue();
            assertThat(result.source()).isEqualTo(Source.PRIMARY);
        });
        assertThat(primary().overruns()).isEqualTo(3);
    }

    @DisplayName("B45: an interrupt that the caller came with stays the caller's")
    @Test
    void a_callers_own_interrupt_is_neither_eaten_nor_handed_on() throws Exception {
        CommandSpec<Call, String> spec = pooled(1, 0).build();
        Thread.currentThread().interrupt();

        CompletableFuture<String> queued = new Call(commands, spec, "1", () -> {
                    return "interrupted " + Thread.currentThread().isInterrupted();
                })
                .queue();
        boolean afterQueue = Thread.currentThread().isInterrupted();
        Thread.interrupted();

        assertThat(queued.get()).isEqualTo("interrupted false");
        assertThat(afterQueue).isTrue();
    }

    @DisplayName("B45: who is interrupted wants no answer any more, whatever the call would have met")
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void a_call_on_an_interrupted_thread_is_cancelled_before_anything_is_asked(boolean onPool, boolean circuitOpen) {
        CommandSpec<Call, String> spec = withTemplate(
                        onPool ? pooled(1, 0) : Call.declared().semaphore(1))
                .build();
        commands.register(spec);
        if (circuitOpen) {
            commands.circuit("Call").forceOpen("test");
        }
        Call call = live(spec);
        Thread.currentThread().interrupt();

        Throwable thrown = catchThrowableOfType(CancellationException.class, call::execute);

        assertThat(Thread.interrupted()).as("the flag is set still").isTrue();
        assertThat(thrown).isNotNull();
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
        assertThat(primary().active()).isZero();
    }

    @DisplayName("B45: a body on the caller's thread that fails as that is interrupted has been cancelled")
    @Test
    void a_failure_on_an_interrupted_thread_is_not_answered_for() {
        CommandSpec<Call, String> spec =
                withTemplate(Call.declared().timeout(LIMIT).semaphore(1)).build();
        Call closedByInterrupt = new Call(commands, spec, "1", () -> {
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        });

        Throwable thrown = catchThrowableOfType(CancellationException.class, closedByInterrupt::execute);

        assertThat(Thread.interrupted()).as("the flag is set still").isTrue();
        assertThat(thrown).isNotNull();
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
        assertThat(primary().circuit().bad()).isZero();
    }

    /** The ways to go away while the call waits for a thread, one for each way to be told of an answer. */
    private enum Leaving {
        INTERRUPT {
            @Override
            String call(Call call, CountDownLatch begun, CountDownLatch go) {
                begun.countDown();
                try {
                    return call.execute();
                } catch (CancellationException cancelled) {
                    return "cancelled, interrupted " + Thread.currentThread().isInterrupted();
                }
            }
        },
        CANCEL {
            @Override
            String call(Call call, CountDownLatch begun, CountDownLatch go) throws InterruptedException {
                CompletableFuture<String> future = call.queue();
                begun.countDown();
                go.await();
                return "cancelled " + future.cancel(true);
            }
        },
        DISPOSE {
            @Override
            String call(Call call, CountDownLatch begun, CountDownLatch go) throws InterruptedException {
                List<String> signals = new ArrayList<>();
                var subscription = call.toMaybe()
                        .subscribe(signals::add, failure -> signals.add("failed"), () -> signals.add("empty"));
                begun.countDown();
                go.await();
                subscription.dispose();
                return "signals " + signals;
            }
        };

        abstract String call(Call call, CountDownLatch begun, CountDownLatch go) throws Exception;
    }

    @DisplayName("B47: who leaves while waiting for a thread is cancelled; body and stages never start")
    @ParameterizedTest
    @EnumSource
    void nothing_runs_for_a_caller_who_has_gone(Leaving how) throws Exception {
        AtomicInteger stages = new AtomicInteger();
        CommandSpec<Call, String> spec = pooled(1, 1)
                .fallback(chain -> chain.spareCall("second", (call, context) -> "spare " + stages.incrementAndGet())
                        .template(StaticTemplate.of("last", "x"), (last, call) -> last + stages.incrementAndGet()))
                .build();
        occupyTheWorker(1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        FutureTask<String> seen = callers.start(() -> how.call(hold(spec), begun, go));
        begun.await();
        ticker.untilWaiting(2);

        if (how == Leaving.INTERRUPT) {
            callers.interruptLast();
        }
        go.countDown();

        assertThat(seen.get())
                .isEqualTo(
                        switch (how) {
                            case INTERRUPT -> "cancelled, interrupted true";
                            case CANCEL -> "cancelled true";
                            case DISPOSE -> "signals []";
                        });
        await().until(() -> view().inFlight() == 0);
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
        assertThat(primary().queued()).isZero();
        occupier.letGo();
        untilAtRest();
        assertThat(held.starts()).isZero();
        assertThat(stages).hasValue(0);
    }

    @DisplayName("B47: a body that swallows its interrupt and returns null is a late end and nothing else")
    @Test
    void null_after_an_interrupt_hurts_nobody() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CommandSpec<Call, String> spec = withTemplate(pooled(1, 0)).build();
        FutureTask<String> seen = callers.start(() -> Leaving.INTERRUPT.call(
                new Call(commands, spec, "1", () -> {
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException swallowed) {
                        return null;
                    }
                    return "never";
                }),
                new CountDownLatch(1),
                new CountDownLatch(1)));
        entered.await();

        callers.interruptLast();

        assertThat(seen.get()).isEqualTo("cancelled, interrupted true");
        untilAtRest();
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
        assertThat(primary().lateSuccesses()).isEqualTo(1);
        assertThat(live(spec).execute()).isEqualTo("live");
    }

    @DisplayName("B49: a call that spends its whole time in the queue says that its body never started")
    @ParameterizedTest
    @EnumSource
    void a_timeout_in_the_queue_is_told_apart(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = pooled(1, 1).build();
        occupyTheWorker(1);
        FutureTask<CommandException> thrown =
                callers.start(() -> catchThrowableOfType(CommandException.class, () -> entry.run(hold(spec))));
        ticker.untilWaiting(2);

        ticker.advance(LIMIT);

        assertThat(thrown.get().outcome()).as("rejected: no body").isEqualTo(CallOutcome.REJECTED);
        assertThat(thrown.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        assertThat(thrown.get().trail()).singleElement().satisfies(report -> {
            assertThat(report.reason()).isEqualTo(StageReason.TIMEOUT);
            assertThat(report.elapsed()).isEqualTo(LIMIT);
        });
        assertThat(primary().circuit().bad()).as("the dependency was not asked").isZero();
        occupier.letGo();
        untilAtRest();
        assertThat(held.starts()).isZero();
    }

    @DisplayName("B49: one clock from submission: what was spent in the queue is missing for the body")
    @ParameterizedTest
    @EnumSource
    void waiting_counts_against_the_limit(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = withTemplate(pooled(1, 1)).build();
        occupyTheWorker(1);
        CompletableFuture<Duration> left = new CompletableFuture<>();
        FutureTask<String> answer = callers.start(() -> entry.run(new Call(commands, spec, "1", () -> {
            left.complete(Deadline.current().remaining());
            return held.call();
        })));
        ticker.untilWaiting(2);
        ticker.advance(Duration.ofMillis(60));
        occupier.letGo();
        held.untilStarted(1);

        ticker.advance(Duration.ofMillis(40));

        assertThat(answer.get()).isEqualTo("template");
        assertThat(left.get()).isEqualTo(Duration.ofMillis(40));
        assertThat(view().events(EventType.TIMEOUT)).isEqualTo(1);
        assertThat(view().elapsedNanos()).isEqualTo(LIMIT.toNanos());
    }

    @DisplayName("B51: a thousand limits end in one sweep of the timer, whose thread runs nobody's code")
    @Test
    void the_timer_flips_and_hands_off() throws Exception {
        int calls = 1_000;
        Queue<Thread> userThreads = new ConcurrentLinkedQueue<>();
        CommandSpec<Call, String> spec = pooled(1, calls)
                .noCircuitBreaker()
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template"), (last, call) -> {
                    userThreads.add(Thread.currentThread());
                    return last;
                }))
                .build();
        CountDownLatch slowBegun = new CountDownLatch(1);
        CountDownLatch slowMayEnd = new CountDownLatch(1);
        List<CompletableFuture<String>> dependents = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            boolean slow = call == calls / 2;
            dependents.add(new Call(commands, spec, "1", () -> {
                        userThreads.add(Thread.currentThread());
                        return held.call();
                    })
                    .queue()
                    .thenApply(answer -> {
                        userThreads.add(Thread.currentThread());
                        if (slow) {
                            slowBegun.countDown();
                            awaitUnchecked(slowMayEnd);
                        }
                        return answer;
                    }));
        }
        held.untilStarted(1);
        ticker.untilWaiting(calls);
        List<Thread> timer = new ArrayList<>();

        FutureTask<Boolean> swept = callers.start(() -> {
            timer.add(Thread.currentThread()); // this ticker runs its alarms on the thread that moves it
            ticker.advance(LIMIT);
            return true;
        });

        assertThat(swept.get()).isTrue();
        slowBegun.await();
        CompletableFuture<String> slow = dependents.remove(calls / 2);
        for (CompletableFuture<String> dependent : dependents) {
            assertThat(dependent.get()).isEqualTo("template");
        }
        assertThat(slow).as("all others did not wait for it").isNotDone();
        slowMayEnd.countDown();
        assertThat(slow.get()).isEqualTo("template");
        assertThat(view().events(EventType.TIMEOUT)).isEqualTo(calls);
        assertThat(held.starts()).isEqualTo(1);
        assertThat(userThreads)
                .as("a body, a stage and a dependent for each call")
                .hasSize(1 + calls + calls)
                .doesNotContainAnyElementsOf(timer);
        userThreads.remove(held.thread());
        assertThat(userThreads)
                .allSatisfy(thread -> assertThat(thread.getName()).startsWith("degradable-commands-continuation-"));
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            var unused = latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
        }
    }

    @DisplayName(
            "B53: 500 commands on five pools in 10,000 calls use the threads of five pools, and none after the close")
    @Test
    void threads_belong_to_pools_and_not_to_commands_or_calls() throws Exception {
        int keys = 500;
        int size = 2;
        int callersAtOnce = 4;
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        Commands real = Commands.builder().name("b53").build();
        List<CommandSpec<Call, String>> specs = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            String pool = "b53-" + key % 5;
            specs.add(Call.declared()
                    .name("Key" + key)
                    .threadPool(its -> its.named(pool).size(size).queue(callersAtOnce))
                    .timeout(Duration.ofSeconds(10))
                    .build());
        }

        List<FutureTask<Integer>> done = new ArrayList<>();
        for (int caller = 0; caller < callersAtOnce; caller++) {
            EntryPoint entry = caller % 2 == 0 ? EntryPoint.EXECUTE : EntryPoint.QUEUE;
            done.add(callers.start(() -> {
                int answers = 0;
                for (int call = 0; call < 10_000 / callersAtOnce; call++) {
                    Call one = new Call(real, specs.get(call % keys), "1", () -> {
                        workers.add(Thread.currentThread());
                        return "live";
                    });
                    answers += "live".equals(entry.run(one)) ? 1 : 0;
                }
                return answers;
            }));
        }
        for (FutureTask<Integer> answers : done) {
            assertThat(answers.get()).isEqualTo(10_000 / callersAtOnce);
        }

        assertThat(workers).hasSizeLessThanOrEqualTo(5 * size);
        // One timer, and a continuation for each run that goes on at the moment, which ten times the callers bounds.
        assertThat(LibraryThreads.of("b53")).hasSizeLessThanOrEqualTo(5 * size + 1 + 10 * callersAtOnce);
        real.close();
        LibraryThreads.assertThatAllEnd("b53");
    }
}
