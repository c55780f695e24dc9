package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.internal.execution.Container;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing: whom it waits for, and what it does with runs that an executor of the user has lost. */
@Timeout(30)
final class CloseTest {

    private final ManualTicker ticker = new ManualTicker();

    /** What the container gave to its user's executor, which does nothing with it. */
    private final LinkedBlockingQueue<Runnable> lost = new LinkedBlockingQueue<>();

    private final Commands losing = Commands.builder()
            .name("close")
            .ticker(ticker)
            .continuations(lost::add)
            .build();

    private static CommandSpec.Builder<Call, String> pooled() {
        return Call.declared()
                .noTimeout()
                .threadPool(pool -> pool.named("close").size(4));
    }

    private static List<CompletableFuture<?>> everyFuture(Call call) {
        return List.of(
                call.queue(),
                call.queueForResult(),
                call.toMaybe().toCompletionStage().toCompletableFuture(),
                call.observe().toCompletionStage().toCompletableFuture(),
                call.toResultSingle().toCompletionStage().toCompletableFuture());
    }

    /** Begins a run that goes on only after its beginner has left it. */
    private CompletableFuture<String> begin(CommandSpec<Call, String> spec, Callable<String> body) {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(losing, spec, "1", () -> {
                    begun.await();
                    return body.call();
                })
                .queue();
        begun.countDown();
        return future;
    }

    private static long calls(Commands commands, CallKind kind) {
        return commands.commands().iterator().next().calls(kind);
    }

    // ---- an executor of the user ----

    @Test
    void after_a_close_every_future_is_complete_although_the_executor_loses_all_it_is_given() throws Exception {
        CommandSpec<Call, String> spec =
                pooled().threadPool(pool -> pool.named("close").size(5)).build();
        CountDownLatch begun = new CountDownLatch(1);
        List<CompletableFuture<?>> futures = everyFuture(new Call(losing, spec, "1", () -> {
            begun.await(); // or the one who begins the run would still be there to end it
            return "live";
        }));
        begun.countDown();
        await().until(() -> lost.size() == futures.size());

        losing.close(); // the clock stands still: it is not the grace's end that helps

        assertThat(futures).allSatisfy(future -> assertThat(future).isCompleted());
        assertThat(calls(losing, new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE)))
                .isEqualTo(futures.size());
        LibraryThreads.assertThatAllEnd("close");
    }

    @Test
    void a_lost_run_goes_through_its_whole_chain_as_the_container_closes() throws Exception {
        CommandSpec<Call, String> spec = pooled().fallback(chain -> chain.spareCall(
                                "second",
                                (call, context) -> {
                                    throw new IOException("down, too");
                                },
                                stage -> stage.threadPool(pool -> pool.named("close-second")))
                        .spareCall(
                                "third",
                                (call, context) -> "third",
                                stage -> stage.threadPool(pool -> pool.named("close-third"))))
                .build();
        CompletableFuture<String> future = begin(spec, () -> {
            throw new IOException("down");
        });
        Runnable kept = lost.take();

        losing.close();
        kept.run();

        assertThat(future).isCompletedWithValue("third");
        assertThat(lost).as("what the executor is given from the close on").isEmpty();
    }

    @Test
    void an_executor_that_runs_it_only_after_the_close_finds_it_done() throws Exception {
        List<String> told = new ArrayList<>();
        CompletableFuture<String> future = begin(pooled().build(), () -> "live");
        CompletableFuture<Void> after = future.thenAccept(told::add);
        Runnable late = lost.take();

        losing.close();
        after.get();
        late.run();

        assertThat(told).containsExactly("live");
        assertThat(calls(losing, new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE)))
                .isEqualTo(1);
    }

    @Test
    void futures_of_what_outlasts_the_grace_are_complete_as_well() throws Exception {
        for (int round = 0; round < 100; round++) {
            Commands real = Commands.builder()
                    .closeGrace(Duration.ofMillis(1))
                    .continuations(lost::add)
                    .build();
            CommandSpec<Call, String> spec = pooled().threadPool(
                            pool -> pool.named("close-hang").size(2).queue(3))
                    .fallback(chain -> chain.template(StaticTemplate.of("last", "never")))
                    .build();
            List<CompletableFuture<?>> futures = everyFuture(new Call(real, spec, "1", () -> {
                new CountDownLatch(1).await();
                return "never";
            }));

            real.close();

            assertThat(futures).allSatisfy(future -> assertThat(future).isDone());
            assertThatThrownBy(futures.get(0)::join).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void close_waits_for_what_the_executor_has_begun() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        CompletableFuture<String> future = begin(pooled().build(), () -> "live");
        CompletableFuture<Void> dependent = future.thenRun(() -> {
            entered.countDown();
            try {
                release.await();
            } catch (InterruptedException overdue) {
                Thread.currentThread().interrupt();
            }
        });
        Runnable driver = lost.take();
        Caller<Boolean> theirs = Caller.calls(() -> {
            driver.run();
            return true;
        });
        entered.await();

        Caller<Boolean> closer = Caller.calls(() -> {
            losing.close();
            return dependent.isDone();
        });
        ticker.untilWaiting(1);
        assertThat(closer.isDone()).isFalse();
        release.countDown();

        assertThat(closer.result()).isTrue();
        assertThat(theirs.result()).isTrue();
    }

    // ---- two who close ----

    @Test
    void a_second_close_waits_for_the_first_until_it_is_interrupted() throws Exception {
        Commands commands = Commands.builder().name("close").ticker(ticker).build();
        HeldCall held = new HeldCall();
        CompletableFuture<String> future = new Call(commands, pooled().build(), "1", held).queue();
        held.untilStarted(1);
        Caller<Integer> first = closer(commands);
        ticker.untilWaiting(1);
        Caller<Integer> second = closer(commands);
        Caller<Boolean> impatient = Caller.calls(() -> {
            commands.close();
            return Thread.interrupted();
        });
        await().until(() -> second.state() == Thread.State.WAITING && impatient.state() == Thread.State.WAITING);

        impatient.interrupt();
        assertThat(impatient.result()).as("the flag").isTrue();
        assertThat(second.isDone()).isFalse();
        held.letGo();

        assertThat(second.result()).as("threads as the second one returns").isZero();
        assertThat(first.result()).isZero();
        assertThat(future.get()).isEqualTo("held");
    }

    /** Closes, and says how many threads of the pool are left then. */
    private static Caller<Integer> closer(Commands commands) {
        return Caller.calls(() -> {
            commands.close();
            return commands.pools().get(0).threads();
        });
    }

    @Test
    void of_all_who_close_at_once_none_returns_before_all_is_closed() throws Exception {
        int rounds = 300;
        CommandSpec<Call, String> spec = pooled().build();
        List<Commands> all = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Commands one = Commands.create();
            new Call(one, spec, "1", () -> "live").execute(); // its thread is there
            all.add(one);
        }

        try (Race race = new Race(3)) {
            race.inStep(rounds, (side, round) -> {
                all.get(round).close();
                assertThat(all.get(round).pools().get(0).threads()).isZero();
            });
        }
    }

    @Test
    void a_dependent_of_a_future_that_close_completes_may_close() throws Exception {
        CompletableFuture<String> future = begin(pooled().build(), () -> "live");
        CompletableFuture<Void> dependent = future.thenRun(losing::close);
        assertThat(lost.take()).isNotNull();

        losing.close();

        dependent.get();
        assertThat(future).isCompletedWithValue("live");
    }

    @Test
    void a_dependent_may_be_the_one_who_closes() throws Exception {
        CompletableFuture<String> future = begin(pooled().build(), () -> "live");
        CompletableFuture<Void> dependent = future.thenRun(losing::close);

        lost.take().run();

        assertThat(dependent).isCompleted();
        LibraryThreads.assertThatAllEnd("close");
    }

    @Test
    void the_thread_that_closes_does_not_wait_for_itself() {
        List<Commands> closing = new ArrayList<>();
        Commands one = Commands.builder()
                .ticker(new ClosingTicker(ticker, () -> closing.forEach(Commands::close)))
                .build();
        new Call(one, pooled().build(), "1", () -> "live").execute();
        closing.add(one);

        one.close();

        assertThat(one.pools().get(0).threads()).isZero();
    }

    /** Runs what it is given whenever it is asked to wait by somebody who closes. */
    private record ClosingTicker(Ticker ticker, Runnable again) implements Ticker {
        @Override
        public long nanos() {
            return ticker.nanos();
        }

        @Override
        public long epochMillis() {
            return ticker.epochMillis();
        }

        @Override
        public void await(Object blocker, long untilNanos) {
            again.run();
            ticker.await(blocker, untilNanos);
        }

        @Override
        public Timer newTimer(String name) {
            return ticker.newTimer(name);
        }
    }

    // ---- what is left ----

    @Test
    void a_closed_container_is_garbage_although_a_static_spec_was_used_in_it() throws Exception {
        CommandSpec<Call, String> spec = pooled().build();
        ReferenceQueue<Container> gone = new ReferenceQueue<>();
        WeakReference<Container> container = usedAndClosed(spec, gone);

        assertThat(Garbage.collected(gone)).isSameAs(container);
        assertThat(spec.name()).as("the spec is still there").isEqualTo("Call");
    }

    private static WeakReference<Container> usedAndClosed(
            CommandSpec<Call, String> spec, ReferenceQueue<Container> gone) throws Exception {
        try (Commands commands = Commands.builder().name("close-garbage").build()) {
            assertThat(new Call(commands, spec, "1", () -> "live").execute()).isEqualTo("live");
            assertThat(new Call(commands, spec, "2", () -> "live").queue().get())
                    .isEqualTo("live");
            return new WeakReference<>(commands.container(), gone);
        } finally {
            LibraryThreads.assertThatAllEnd("close-garbage");
        }
    }

    @Test
    void what_a_body_and_a_template_threw_is_garbage_once_their_run_is_over() throws Exception {
        ReferenceQueue<Throwable> gone = new ReferenceQueue<>();
        List<WeakReference<Throwable>> thrown = new ArrayList<>();
        try (Commands commands = Commands.builder().build()) {
            CommandSpec<Call, String> spec = Call.declared()
                    .semaphore()
                    .fallback(links -> links.template(StaticTemplate.of("last", "to be confirmed"), (text, call) -> {
                        throw kept(new IllegalStateException("no name"), thrown, gone);
                    }))
                    .build();
            Call failing = new Call(commands, spec, "1", () -> {
                throw kept(new IllegalStateException("down"), thrown, gone);
            });

            assertThatThrownBy(failing::execute).isInstanceOf(CommandException.class);
        }

        assertThat(thrown).hasSize(2);
        assertThat(Garbage.collected(gone)).isIn(thrown);
        assertThat(Garbage.collected(gone)).isIn(thrown);
    }

    private static RuntimeException kept(
            RuntimeException thrown, List<WeakReference<Throwable>> all, ReferenceQueue<Throwable> gone) {
        all.add(new WeakReference<>(thrown, gone));
        return thrown;
    }
}
