package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.disposables.Disposable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asynchronous runs: the future obeys the JDK's contract, and whoever leaves ends the run. */
@Timeout(60)
final class FutureTest {

    private static final CallKind CANCELLED = new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private final CommandSpec<Call, String> spec = Call.declared()
            .timeout(Duration.ofMillis(100))
            .threadPool(pool -> pool.named("future").size(2))
            .fallback(chain -> chain.template(StaticTemplate.of("last", "template")))
            .build();

    @AfterEach
    void close() {
        release.countDown();
        commands.close();
    }

    private Call hanging() {
        return new Call(commands, spec, "1", () -> {
            entered.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
            }
            return "live";
        });
    }

    private CommandView view() {
        return commands.commands().iterator().next();
    }

    private void untilAtRest() {
        await().until(() -> view().inFlight() == 0 && view().stages().get(0).active() == 0);
    }

    @Test
    void a_future_is_not_done_before_its_body_and_done_after() throws Exception {
        CompletableFuture<CommandResult<String>> future = hanging().queueForResult();
        entered.await();
        assertThat(future).isNotDone();
        assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

        release.countDown();

        assertThat(future.get().value()).isEqualTo("live");
        assertThat(future).isCompleted();
        assertThat(view().inFlight()).isZero();
    }

    @Test
    void a_timeout_answers_from_the_chain_on_a_thread_that_is_neither_worker_nor_timer() throws Exception {
        AtomicReference<String> thread = new AtomicReference<>();
        CompletableFuture<String> future = hanging().queue();
        CompletableFuture<String> dependent = future.whenComplete(
                (answer, failure) -> thread.set(Thread.currentThread().getName()));
        entered.await();
        ticker.untilWaiting(1);

        ticker.advance(Duration.ofMillis(100));

        assertThat(dependent.get()).isEqualTo("template");
        assertThat(thread.get()).startsWith("degradable-commands-continuation-");
        interrupted.await();
        untilAtRest();
        assertThat(view().stages().get(0).orphans()).isZero();
    }

    @Test
    void cancelling_interrupts_the_body_and_counts_once() throws Exception {
        CompletableFuture<String> future = hanging().queue();
        entered.await();

        assertThat(future.cancel(true)).isTrue();

        interrupted.await();
        assertThat(future).isCancelled();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        untilAtRest();
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
    }

    @Test
    void completing_from_outside_and_or_timeout_end_the_run_too() throws Exception {
        CompletableFuture<String> completed = hanging().queue();
        entered.await();
        completed.complete("from outside");
        interrupted.await();
        untilAtRest();
        CompletableFuture<String> timedOut = hanging().queue().orTimeout(1, TimeUnit.MILLISECONDS);

        assertThatThrownBy(timedOut::get).hasCauseInstanceOf(TimeoutException.class);
        untilAtRest();

        assertThat(completed.get()).isEqualTo("from outside");
        assertThat(view().calls(CANCELLED)).isEqualTo(2);
    }

    @Test
    void cancelling_a_dependent_leaves_the_run_alone() throws Exception {
        CompletableFuture<String> future = hanging().queue();
        CompletableFuture<Integer> dependent = future.thenApply(String::length);
        entered.await();

        dependent.cancel(true);
        release.countDown();

        assertThat(future.get()).isEqualTo("live");
        assertThat(view().calls(CANCELLED)).isZero();
    }

    @Test
    void a_checked_failure_that_no_stage_may_answer_comes_out_as_it_is() {
        FileNotFoundException missing = new FileNotFoundException("42");
        CommandSpec<Call, String> ignoring = Call.declared()
                .name("Ignoring")
                .ignore(failure -> failure instanceof FileNotFoundException)
                .build();

        CompletableFuture<String> future = new Call(commands, ignoring, "1", () -> {
                    throw missing;
                })
                .queue();

        assertThatThrownBy(future::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(missing);
    }

    @Test
    void with_a_semaphore_the_body_has_ended_when_queue_returns() {
        CommandSpec<Call, String> inline =
                Call.declared().name("Inline").semaphore(1).build();
        Thread caller = Thread.currentThread();
        AtomicReference<Thread> ran = new AtomicReference<>();

        CompletableFuture<String> future = new Call(commands, inline, "1", () -> {
                    ran.set(Thread.currentThread());
                    return "live";
                })
                .queue();

        assertThat(future).isCompletedWithValue("live");
        assertThat(ran).hasValue(caller);
    }

    @Test
    void a_maybe_is_cold_and_each_subscription_is_a_run() {
        AtomicInteger bodies = new AtomicInteger();
        Maybe<String> cold = new Call(commands, spec, "1", () -> "live " + bodies.incrementAndGet()).toMaybe();
        assertThat(bodies).hasValue(0);

        assertThat(cold.blockingGet()).isEqualTo("live 1");
        assertThat(cold.blockingGet()).isEqualTo("live 2");
    }

    @Test
    void an_observed_run_begins_at_once_and_once() {
        AtomicInteger bodies = new AtomicInteger();

        Maybe<String> hot = new Call(commands, spec, "1", () -> "live " + bodies.incrementAndGet()).observe();

        await().until(() -> bodies.get() == 1);
        assertThat(hot.blockingGet()).isEqualTo("live 1");
        assertThat(hot.blockingGet()).isEqualTo("live 1");
    }

    @Test
    void null_completes_a_maybe_empty() {
        assertThat(new Call(commands, spec, "1", () -> null).toMaybe().isEmpty().blockingGet())
                .isTrue();
        assertThat(new Call(commands, spec, "1", () -> null).queue().join()).isNull();
    }

    @Test
    void disposing_ends_the_run_and_gives_everything_back() throws Exception { // B59
        Disposable subscription = hanging().toMaybe().subscribe(answer -> {}, failure -> {}, () -> {});
        entered.await();

        subscription.dispose();

        interrupted.await();
        untilAtRest();
        assertThat(view().calls(CANCELLED)).isEqualTo(1);
    }

    @Test
    void of_cancellation_and_answer_exactly_one_wins_and_the_slot_comes_back() throws Exception { // B59
        CommandSpec<Call, String> one = Call.declared()
                .name("One")
                .threadPool(pool -> pool.named("one").size(1))
                .noCircuitBreaker()
                .build();
        int rounds = 5_000;
        int answered = 0;
        int cancelled = 0;
        try (Callers callers = new Callers();
                Commands real = Commands.create()) {
            CyclicBarrier start = new CyclicBarrier(2);
            BlockingQueue<CompletableFuture<String>> handed = new LinkedBlockingQueue<>();
            FutureTask<Integer> canceller = callers.start(() -> {
                int won = 0;
                for (int round = 0; round < rounds; round++) {
                    CompletableFuture<String> future = handed.take();
                    start.await();
                    won += future.cancel(true) ? 1 : 0;
                    start.await();
                }
                return won;
            });
            for (int round = 0; round < rounds; round++) {
                CountDownLatch go = new CountDownLatch(1);
                CompletableFuture<String> future = new Call(real, one, "1", () -> {
                            go.await();
                            return "live";
                        })
                        .queue();
                handed.add(future);
                start.await();
                go.countDown();
                start.await();
                if (future.isCancelled()) {
                    cancelled++;
                } else {
                    assertThat(future.get()).isEqualTo("live");
                    answered++;
                }
                CommandView view = real.commands().iterator().next();
                while (view.inFlight() != 0
                        || view.stages().get(0).active() != 0
                        || view.stages().get(0).orphans() != 0) {
                    Thread.onSpinWait();
                }
            }
            CommandView view = real.commands().iterator().next();
            assertThat(canceller.get()).isEqualTo(cancelled);
            assertThat(view.received()).isEqualTo(rounds);
            assertThat(view.calls(new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE))
                            + view.calls(CANCELLED))
                    .isEqualTo(rounds);
            assertThat(answered + cancelled).isEqualTo(rounds);
            assertThat(answered).isPositive();
            assertThat(cancelled).isPositive();
        }
    }

    @Test
    void a_failure_that_cannot_even_say_what_it_is_ends_the_future_and_the_source() {
        class Mute extends RuntimeException {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("mute");
            }
        }
        try (Commands real = Commands.create()) {
            CommandSpec<Call, String> spec = Call.declared().build();
            Callable<String> body = () -> {
                throw new Mute();
            };

            assertThatThrownBy(new Call(real, spec, "1", body).queue()::join)
                    .hasCauseInstanceOf(CommandException.class);
            assertThatThrownBy(new Call(real, spec, "1", body).toMaybe()::blockingGet)
                    .isInstanceOf(CommandException.class);
            assertThatThrownBy(new Call(real, spec, "1", body)::execute)
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("Mute");
        }
    }

    @Test
    void a_run_goes_on_once_although_its_executor_both_takes_and_refuses_it() throws Exception {
        ExecutorService own = Executors.newFixedThreadPool(2);
        try (Commands real = Commands.builder()
                .continuations(driver -> {
                    own.execute(driver);
                    throw new RejectedExecutionException("refused, says it");
                })
                .build()) {
            CommandSpec<Call, String> spec = Call.declared().build();
            for (int round = 0; round < 300; round++) {
                assertThat(new Call(real, spec, "1", () -> "live").queue().get())
                        .isEqualTo("live");
            }
            CommandView view = real.commands().iterator().next();
            assertThat(view.calls(new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE)))
                    .isEqualTo(300);
            assertThat(view.inFlight()).isZero();
        } finally {
            own.shutdownNow();
        }
    }

    @Test
    void who_leaves_as_he_subscribes_begins_nothing() {
        AtomicInteger bodies = new AtomicInteger();
        try (Commands real = Commands.create()) {
            Call call =
                    new Call(real, Call.declared().semaphore().build(), "1", () -> "body " + bodies.incrementAndGet());

            call.toMaybe().test(true).assertEmpty();
            call.toResultSingle().test(true).assertEmpty();
        }
        assertThat(bodies).hasValue(0);
    }

    @Test
    void a_run_that_is_lost_gives_back_what_it_holds() throws Exception {
        ManualTicker time = new ManualTicker();
        AtomicInteger noThreads = new AtomicInteger(1);
        Ticker outOfThreads = new Ticker() {
            @Override
            public long nanos() {
                return time.nanos();
            }

            @Override
            public long epochMillis() {
                return time.epochMillis();
            }

            @Override
            public void await(Object blocker, long untilNanos) {
                time.await(blocker, untilNanos);
            }

            @Override
            public Timer newTimer(String name) {
                Timer timer = time.newTimer(name);
                return new Timer() {
                    @Override
                    public Alarm schedule(Runnable task, long atNanos) {
                        if (noThreads.getAndDecrement() > 0) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        return timer.schedule(task, atNanos);
                    }

                    @Override
                    public void close() {
                        timer.close();
                    }
                };
            }
        };
        try (Commands real = Commands.builder().ticker(outOfThreads).build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .semaphore(1)
                    .fallback(chain -> chain.spareCall("second", (call, context) -> "spare", stage -> stage.atMost(1)))
                    .build();
            Callable<String> down = () -> {
                throw new IOException("down");
            };

            assertThatThrownBy(new Call(real, spec, "1", down).queue()::join)
                    .hasCauseInstanceOf(OutOfMemoryError.class);

            CommandView view = real.commands().iterator().next();
            while (view.stages().get(1).active() + view.stages().get(1).orphans() > 0) {
                Thread.onSpinWait();
            }
            assertThat(view.inFlight()).isZero();
            assertThat(new Call(real, spec, "2", down).queue().get()).isEqualTo("spare");
        }
    }
}
