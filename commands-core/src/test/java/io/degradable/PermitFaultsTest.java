package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.state.StageView;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong elsewhere with permits, slots and queues, seen from the front door. */
@Timeout(60)
final class PermitFaultsTest {

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final CallKind ANSWERED = new CallKind(CallOutcome.NORMAL, Source.PRIMARY, Trigger.NONE);
    private static final CallKind CANCELLED = new CallKind(CallOutcome.CANCELLED, null, Trigger.NONE);

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final HeldCall held = new HeldCall();
    private final HeldCall busy = new HeldCall();

    @AfterEach
    void close() {
        held.letGo();
        busy.letGo();
        callers.close();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> pooled(int size, int queue) {
        return Call.declared()
                .timeout(LIMIT)
                .noCircuitBreaker()
                .threadPool(pool -> pool.named("few").size(size).queue(queue));
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

    private PoolView pool() {
        return commands.pools().get(0);
    }

    private boolean isAtRest() {
        return view().inFlight() == 0 && primary().active() == 0 && primary().orphans() == 0;
    }

    private static boolean isRefused(CompletableFuture<String> future) {
        return future.isDone()
                && future.handle((answer, failure) -> failure).join() instanceof CommandException refused
                && refused.trigger() == Trigger.THREAD_POOL_REJECTED;
    }

    /** Everything is free: so many run, so many wait, and no more. */
    private void assertThatExactlySoManyGetIn(CommandSpec<Call, String> spec, int running, int waiting)
            throws Exception {
        HeldCall again = new HeldCall();
        List<CompletableFuture<String>> in = new ArrayList<>();
        for (int call = 0; call < running + waiting; call++) {
            in.add(new Call(commands, spec, "again", again).queue());
        }
        try {
            again.untilStarted(running);
            CompletableFuture<String> oneTooMany = new Call(commands, spec, "too many", () -> "never").queue();

            assertThat(isRefused(oneTooMany)).as("one too many").isTrue();
            assertThat(pool().active()).isEqualTo(running);
            assertThat(pool().queued()).isEqualTo(waiting);
        } finally {
            again.letGo();
        }
        for (CompletableFuture<String> one : in) {
            assertThat(one.get()).isEqualTo("held");
        }
    }

    @DisplayName("B59: who goes away while the body ends gives the slot back once, ten thousand times")
    @Test
    void free_and_used_slots_are_the_limit_after_every_race_of_leaving_and_ending() throws Exception {
        int rounds = 10_000;
        CommandSpec<Call, String> spec = pooled(1, 0).build();
        commands.register(spec);
        AtomicBoolean[] open = new AtomicBoolean[rounds];
        Runnable[] leave = new Runnable[rounds];
        AtomicInteger heard = new AtomicInteger();

        try (Race race = new Race(2)) {
            // Two steps for each round: one side begins a call, then the two end it together.
            race.inStep(2 * rounds, (side, step) -> {
                int round = step / 2;
                if (step % 2 == 1) {
                    if (side == 0) {
                        open[round].set(true);
                    } else {
                        leave[round].run();
                    }
                } else if (side == 0) {
                    spinUntilAtRest();
                    open[round] = new AtomicBoolean();
                    leave[round] = begin(spec, round, open[round], heard);
                }
            });
            spinUntilAtRest();
        }

        long answered = view().calls(ANSWERED);
        long cancelled = view().calls(CANCELLED);
        assertThat(view().received()).isEqualTo(rounds);
        assertThat(answered + cancelled).isEqualTo(rounds);
        assertThat(answered).isPositive();
        assertThat(cancelled).isPositive();
        assertThat(heard).as("nobody hears of a cancelled run").hasValueLessThanOrEqualTo((int) answered);
        assertThatExactlySoManyGetIn(spec, 1, 0);
    }

    @SuppressWarnings("ThreadPriorityCheck") // three threads are awake, and there may be two processors
    private void spinUntilAtRest() throws InterruptedException {
        while (!isAtRest()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("not at rest");
            }
            Thread.yield();
        }
    }

    /** Begins a call whose body runs until it is opened or interrupted, and returns how its caller leaves. */
    @SuppressWarnings("ThreadPriorityCheck") // three threads are awake, and there may be two processors
    private Runnable begin(CommandSpec<Call, String> spec, int round, AtomicBoolean open, AtomicInteger heard)
            throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        Call call = new Call(commands, spec, "1", () -> {
            started.countDown();
            while (!open.get()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Thread.yield();
            }
            return "live";
        });
        Runnable leave;
        switch (round % 3) {
            case 0 ->
                leave = call.toMaybe().subscribe(answer -> heard.incrementAndGet(), failure -> {}, () -> {})::dispose;
            case 1 ->
                leave = call.toResultSingle().subscribe(answer -> heard.incrementAndGet(), failure -> {})::dispose;
            default -> {
                CompletableFuture<String> future = call.queue();
                var unused = future.thenRun(heard::incrementAndGet);
                leave = () -> future.cancel(true);
            }
        }
        started.await();
        return leave;
    }

    @DisplayName("B60: eight waiters who give up leave no trace: when the eight bodies end, all places are free")
    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "QUEUE", "TO_MAYBE"})
    void a_waiter_who_gives_up_takes_no_place_with_him(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec = pooled(8, 8).build();
        CommandSpec<Call, String> holder =
                pooled(8, 8).name("Holder").noTimeout().build();
        for (int call = 0; call < 8; call++) {
            var unused = new Call(commands, holder, "busy", busy).queue();
        }
        busy.untilStarted(8);
        List<FutureTask<CommandException>> waiters = new ArrayList<>();
        for (int call = 0; call < 8; call++) {
            waiters.add(callers.start(() -> catchThrowableOfType(CommandException.class, () -> entry.run(hold(spec)))));
        }
        ticker.untilWaiting(16);

        ticker.advance(LIMIT);
        for (FutureTask<CommandException> waiter : waiters) {
            assertThat(waiter.get().trigger()).isEqualTo(Trigger.TIMEOUT);
        }
        busy.letGo();

        await().until(() -> pool().active() == 0 && pool().queued() == 0);
        assertThat(held.starts()).isZero();
        assertThatExactlySoManyGetIn(spec, 8, 8);
    }

    @DisplayName("B60: whatever times out against whatever ends, no place is ever lost or doubled")
    @Test
    void time_outs_and_ends_in_any_order_keep_every_place() throws Exception {
        long seed = Long.getLong("degradable.seed", System.nanoTime());
        Random random = new Random(seed);
        int steps = 20_000;
        CommandSpec<Call, String> spec = pooled(8, 8).build();
        commands.register(spec);
        List<CountDownLatch> bodies = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean stop = new AtomicBoolean();
        FutureTask<Boolean> releaser = callers.start(() -> {
            Random any = new Random(seed + 1);
            while (!stop.get()) {
                releaseOne(bodies, any);
            }
            return true;
        });
        List<CompletableFuture<String>> calls = new ArrayList<>();

        for (int step = 0; step < steps; step++) {
            if (random.nextInt(4) > 0) {
                CountDownLatch end = new CountDownLatch(1);
                bodies.add(end);
                calls.add(new Call(commands, spec, "1", () -> {
                            end.await();
                            return "live";
                        })
                        .queue());
            } else {
                ticker.advance(Duration.ofMillis(random.nextInt(40)));
            }
            assertThat(pool().active()).as("seed %d", seed).isBetween(0, 8);
            assertThat(pool().queued()).as("seed %d", seed).isBetween(0, 8);
        }
        stop.set(true);
        assertThat(releaser.get()).isTrue();
        bodies.forEach(CountDownLatch::countDown);

        await().until(this::isAtRest);
        assertThat(calls)
                .as("seed %d", seed)
                .allSatisfy(call -> assertThat(call).isDone());
        assertThat(view().received()).isEqualTo(calls.size());
        assertThat(primary().ended(StageReason.ANSWER)).as("seed %d", seed).isPositive();
        assertThat(primary().ended(StageReason.TIMEOUT)).as("seed %d", seed).isPositive();
        assertThat(primary().ended(StageReason.THREAD_POOL_FULL))
                .as("seed %d", seed)
                .isPositive();
        assertThatExactlySoManyGetIn(spec, 8, 8);
    }

    private static void releaseOne(List<CountDownLatch> bodies, Random any) {
        int known = bodies.size();
        if (known > 0) {
            bodies.remove(any.nextInt(known)).countDown();
        }
        for (int turn = any.nextInt(2_000); turn > 0; turn--) {
            Thread.onSpinWait();
        }
    }

    @DisplayName("B62: 200 callers at a barrier, a limit of ten: ten bodies run at once, 190 are refused")
    @ParameterizedTest
    @CsvSource({"EXECUTE, false", "QUEUE, false", "EXECUTE, true", "QUEUE, true"})
    void a_burst_never_exceeds_the_limit(EntryPoint entry, boolean semaphore) throws Exception {
        CommandSpec<Call, String> spec = semaphore
                ? Call.declared().noTimeout().semaphore(10).build()
                : pooled(10, 0).build();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch ten = new CountDownLatch(10);
        CountDownLatch refused = new CountDownLatch(190);
        Call call = new Call(commands, spec, "1", () -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            ten.countDown();
            boolean all = ten.await(10, TimeUnit.SECONDS) && refused.await(10, TimeUnit.SECONDS);
            inside.decrementAndGet();
            return "refused all others " + all;
        });

        List<String> answers;
        try (Race race = new Race(200)) {
            answers = race.round(side -> {
                try {
                    return String.valueOf(entry.run(call));
                } catch (CommandException full) {
                    refused.countDown();
                    return full.trigger().tag();
                }
            });
        }

        assertThat(answers)
                .filteredOn("refused all others true"::equals)
                .as("%s", answers)
                .hasSize(10);
        assertThat(answers)
                .filteredOn((semaphore ? Trigger.SEMAPHORE_REJECTED : Trigger.THREAD_POOL_REJECTED).tag()::equals)
                .hasSize(190);
        assertThat(most).hasValue(10);
    }

    @DisplayName("B67: with ten threads and a queue of five, twelve calls are ten that run and two that wait")
    @Test
    void a_pool_grows_to_its_size_before_it_queues_and_says_what_it_is_set_to() throws Exception {
        CommandSpec<Call, String> spec = pooled(10, 5).build();

        for (int call = 0; call < 12; call++) {
            var unused = hold(spec).queue();
        }

        held.untilStarted(10);
        assertThat(held.starts()).isEqualTo(10);
        assertThat(pool().size()).isEqualTo(10);
        assertThat(pool().queue()).isEqualTo(5);
        assertThat(pool().active()).isEqualTo(10);
        assertThat(pool().queued()).isEqualTo(2);
    }

    @DisplayName("B69: of 10,000 calls a thread and a queue of a hundred take 101; each other one is refused at once")
    @Test
    void waiters_are_bounded_and_overflow_is_refused_at_once() throws Exception {
        CommandSpec<Call, String> spec = pooled(1, 100).build();
        List<CompletableFuture<String>> accepted = new ArrayList<>();
        int refused = 0;

        for (int call = 0; call < 10_000; call++) {
            CompletableFuture<String> future = hold(spec).queue();
            if (isRefused(future)) {
                refused++; // done when it was given out, with the clock standing still
            } else {
                accepted.add(future);
            }
        }

        assertThat(refused).isEqualTo(9_899);
        assertThat(accepted).hasSize(101);
        assertThat(view().inFlight()).isEqualTo(101);
        held.letGo();
        for (CompletableFuture<String> future : accepted) {
            assertThat(future.get()).isEqualTo("held");
        }
    }

    @DisplayName("B70: synchronous or not, a call waits for a thread until its deadline at most")
    @ParameterizedTest
    @EnumSource
    void the_wait_is_bounded_by_the_deadline_of_the_run(EntryPoint entry) throws Exception {
        CommandSpec<Call, String> spec =
                pooled(1, 1).deadline(Duration.ofMillis(60)).build();
        CommandSpec<Call, String> holder =
                pooled(1, 1).name("Holder").noTimeout().build();
        CompletableFuture<String> holding = new Call(commands, holder, "busy", busy).queue();
        busy.untilStarted(1);
        FutureTask<CommandException> thrown =
                callers.start(() -> catchThrowableOfType(CommandException.class, () -> entry.run(hold(spec))));
        ticker.untilWaiting(2);

        ticker.advance(Duration.ofMillis(60));

        assertThat(thrown.get().outcome()).isEqualTo(CallOutcome.REJECTED);
        assertThat(thrown.get().trail())
                .extracting(StageReport::reason, StageReport::elapsed)
                .containsExactly(tuple(StageReason.BUDGET, Duration.ofMillis(60)));
        assertThat(pool().queued()).isZero();
        assertThat(holding).isNotDone();
        assertThat(held.starts()).isZero();
        busy.letGo();
    }

    @DisplayName("B72: a subscription on a scheduler of one thread waits for its place without holding that thread")
    @Test
    void nobody_waits_on_the_subscribing_thread() throws Exception {
        CommandSpec<Call, String> spec = pooled(1, 2).build();
        CompletableFuture<String> first = hold(spec).queue();
        held.untilStarted(1);
        ExecutorService single = Executors.newSingleThreadExecutor();
        CompletableFuture<String> cold = new CompletableFuture<>();
        CompletableFuture<String> hot = new CompletableFuture<>();
        try {
            var unused = new Call(commands, spec, "cold", () -> "cold")
                    .toMaybe()
                    .subscribeOn(Schedulers.from(single))
                    .subscribe(cold::complete, cold::completeExceptionally, () -> cold.complete("empty"));
            var unusedToo = single.submit(() -> new Call(commands, spec, "hot", () -> "hot")
                    .observe()
                    .subscribe(hot::complete, hot::completeExceptionally, () -> hot.complete("empty")));

            String next = single.submit(() -> "free while " + pool().queued() + " wait")
                    .get();

            assertThat(next).isEqualTo("free while 2 wait");
            held.letGo();
            assertThat(List.of(first.get(), cold.get(), hot.get())).containsExactly("held", "cold", "hot");
        } finally {
            single.shutdownNow();
        }
    }

    @DisplayName(
            "G6: a pool of ten with eight callers in a tight loop refuses nobody, since a slot is free before its answer shows")
    @Test
    void a_pool_refuses_nobody_while_fewer_call_than_it_has_threads() throws Exception {
        int calls = 3_000;
        CommandSpec<Call, String> spec = pooled(10, 0).build();
        AtomicInteger answers = new AtomicInteger();
        try (Race race = new Race(8)) {
            var unused = race.round(side -> {
                for (int call = 0; call < calls; call++) {
                    answers.addAndGet(
                            new Call(commands, spec, "1", () -> "live")
                                            .execute()
                                            .equals("live")
                                    ? 1
                                    : 0);
                }
                return side;
            });
        }

        assertThat(answers.get()).isEqualTo(8 * calls);
    }
}
