package io.degradable.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.Permit;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CircuitView;
import io.degradable.testing.Caller;
import io.degradable.testing.Race;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Caller and worker reach for the end of a call within nanoseconds of each other, thousands of times, and exactly one of them
 * decides. Time stands still until a side of the race moves it to the limit, and the sums do not depend on who was faster.
 */
@Timeout(60)
final class AttemptRaceTest {

    private static final int ROUNDS = 10_000;
    private static final int YIELD = -1;
    private static final Duration LIMIT = Duration.ofMillis(1);

    /** A wait comes back at once "for no reason", so that its caller sees the limit as soon as it is there. */
    private static final class RestlessTicker implements Ticker {

        final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
        private int waits; // by the one caller of a round

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public long epochMillis() {
            return 0;
        }

        @Override
        public Timer newTimer(String name) {
            throw new UnsupportedOperationException("nobody here asks for one");
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // a processor may be missing for the worker that is waited for
        public void await(Object blocker, long untilNanos) {
            if (++waits % 64 == 0) {
                Thread.yield();
            }
            Thread.onSpinWait();
        }
    }

    private final RestlessTicker ticker = new RestlessTicker();
    private final Random random = new Random(45);
    private final BulkheadSettings.ThreadPool figures = new BulkheadSettings.ThreadPool("race", 1, 1);
    private final ThreadPoolBulkhead pool = new ThreadPoolBulkhead(figures);
    private final Guard guard = guard(LIMIT);
    private final AtomicInteger bodies = new AtomicInteger();

    private int balance = 20;
    private int answers;
    private int timeouts;
    private int cancellations;
    private int unstarted;

    private Guard guard(Duration limit) {
        BreakerSettings measuring = new BreakerSettings(
                true,
                Integer.MAX_VALUE,
                100,
                Duration.ofMinutes(10),
                2,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                1,
                100);
        GuardSettings settings = new GuardSettings(figures, limit, true, limit, measuring);
        return new Guard(settings, pool, FailureRules.DEFAULT, ticker, Runnable::run);
    }

    @AfterEach
    void close() {
        pool.cancelAll(Runnable::run);
    }

    private Body<String, String> body(Runnable run) {
        return new Body<>() {
            @Override
            public String call(String command, @Nullable FallbackContext context) {
                bodies.incrementAndGet();
                run.run();
                return "live";
            }

            @Override
            public StageReason judge(@Nullable String value) {
                return StageReason.ANSWER;
            }
        };
    }

    private void call(Guard guard, Body<String, String> body) {
        long now = ticker.nanos();
        Call<String> attempt = Bench.call(guard, body, now, now + Spans.FOREVER);
        switch (attempt.reason()) {
            case ANSWER -> answers++;
            case TIMEOUT -> timeouts++;
            case CANCELLED -> cancellations++;
            default -> throw new AssertionError(attempt);
        }
        unstarted += attempt.bodyStarted() ? 0 : 1;
        adjustPause(attempt.reason() == StageReason.ANSWER);
    }

    private void limitIsReached() {
        ticker.now.addAndGet(LIMIT.toNanos());
    }

    /**
     * Drawn before a round, by the test's own thread: how many turns the side that moves time gives the other. Around the
     * number at which both win about equally often, which differs by machine, load and warmth of the code.
     */
    private int drawPause() {
        return random.nextInt(8) == 0 ? YIELD : Math.max(0, balance + random.nextInt(17) - 8);
    }

    private void adjustPause(boolean moverWon) {
        balance = Math.max(0, Math.min(100, balance + (moverWon ? 1 : -1)));
    }

    @SuppressWarnings("ThreadPriorityCheck") // lets the other side win on a machine that has one processor to spare
    private static void pause(int turns) {
        if (turns == YIELD) {
            Thread.yield();
        }
        for (int turn = 0; turn < turns; turn++) {
            Thread.onSpinWait();
        }
    }

    private void untilTheWorkerIsFree() {
        CompletableFuture<Boolean> free = new CompletableFuture<>();
        pool.start(() -> free.complete(true));
        Caller.valueOf(free);
    }

    private void assertEachCallWasSettledOnce(Guard guard) {
        untilTheWorkerIsFree();
        CircuitView circuit = guard.breaker().explain(ticker.nanos());
        int left = timeouts + cancellations - unstarted;
        assertThat(bodies).as("bodies that ran, and calls that know it").hasValue(answers + left);
        assertThat(circuit.good() + circuit.bad()).as("permits settled").isEqualTo(answers + timeouts - unstarted);
        assertThat(guard.meter().lateSuccesses()).as("late ends").isEqualTo(left);
        assertThat(guard.meter().lateFailures()).isZero();
        assertThat(guard.meter().orphans()).isZero();
        assertThat(pool.active()).isZero();
        assertThat(pool.queued()).isZero();
    }

    @Test
    void of_the_end_of_a_body_and_the_limit_exactly_one_decides() {
        int[] pause = new int[1];
        Body<String, String> endsAtTheLimit = body(() -> {
            limitIsReached();
            pause(pause[0]);
        });

        for (int round = 0; round < ROUNDS; round++) {
            pause[0] = drawPause();
            call(guard, endsAtTheLimit);
        }

        assertThat(answers).as("rounds the worker won").isPositive();
        assertThat(timeouts).as("rounds the caller won").isPositive();
        assertThat(unstarted).isZero();
        assertEachCallWasSettledOnce(guard);
    }

    @Test
    void of_the_start_of_a_body_and_the_limit_exactly_one_decides() {
        Body<String, String> endsAtOnce = body(() -> {});

        for (int round = 0; round < ROUNDS; round++) {
            int pause = drawPause();
            AtomicInteger called = new AtomicInteger();
            pool.start(() -> {
                while (called.get() == 0) {
                    pause(YIELD);
                }
                limitIsReached();
                pause(pause);
            });
            called.incrementAndGet();
            call(guard, endsAtOnce);
        }

        assertThat(unstarted).as("rounds the caller won").isPositive();
        assertThat(answers).as("rounds the worker won").isPositive();
        assertEachCallWasSettledOnce(guard);
    }

    @DisplayName("B47: of the end of a body and an interrupt exactly one decides, and the interrupt is never lost")
    @Test
    void of_the_end_of_a_body_and_an_interrupt_exactly_one_decides() {
        Thread caller = Thread.currentThread();
        int[] pause = new int[1];
        Body<String, String> interruptsItsCaller = body(() -> {
            caller.interrupt();
            pause(pause[0]);
        });

        int kept = 0;
        for (int round = 0; round < ROUNDS; round++) {
            pause[0] = drawPause();
            call(guard, interruptsItsCaller);
            kept += Thread.interrupted() ? 1 : 0;
        }

        assertThat(kept).isEqualTo(ROUNDS);
        assertThat(answers).as("rounds the worker won").isPositive();
        assertThat(cancellations).as("rounds the caller won").isPositive();
        assertEachCallWasSettledOnce(guard);
    }

    @DisplayName("B45: an interrupt never lands in the worker's next task")
    @Test
    void the_next_task_of_the_worker_never_sees_an_interrupt() {
        AtomicInteger seen = new AtomicInteger();
        Runnable next = () -> {
            for (int turn = 0; turn < 60; turn++) {
                if (Thread.currentThread().isInterrupted()) {
                    seen.incrementAndGet();
                    return;
                }
                Thread.onSpinWait();
            }
        };
        int[] pause = new int[1];
        Body<String, String> endsAtTheLimit = body(() -> {
            pool.start(next); // waits already when this body ends
            limitIsReached();
            pause(pause[0]);
        });

        for (int round = 0; round < 3 * ROUNDS; round++) {
            pause[0] = drawPause();
            call(guard, endsAtTheLimit);
        }

        untilTheWorkerIsFree();
        assertThat(timeouts).as("rounds with an interrupt").isPositive();
        assertThat(seen).hasValue(0);
    }

    @Test
    void of_a_closing_container_and_the_limit_exactly_one_takes_the_slot_back() throws Exception {
        BulkheadSettings.ThreadPool wide = new BulkheadSettings.ThreadPool("wide", 1, ROUNDS);
        ThreadPoolBulkhead pool = new ThreadPoolBulkhead(wide);
        GuardSettings settings = new GuardSettings(wide, LIMIT, true, LIMIT, BreakerSettings.DISABLED);
        Guard guard = new Guard(settings, pool, FailureRules.DEFAULT, ticker, Runnable::run);
        CompletableFuture<Boolean> hold = new CompletableFuture<>();
        pool.tryEnter();
        pool.start(hold::join);
        List<Attempt<String, String>> attempts = new ArrayList<>();
        long start = ticker.nanos();
        Permit permit = guard.breaker().tryAcquire(start);
        assertThat(permit).isNotNull();
        for (int round = 1; round <= ROUNDS; round++) {
            assertThat(pool.tryEnter()).isTrue();
            Attempt<String, String> attempt = new Attempt<>(guard, body(() -> {}), "command", null, start);
            attempt.admit(permit, start + round * LIMIT.toNanos(), start + Spans.FOREVER, Spans.FOREVER);
            attempts.add(attempt);
        }

        try (Race race = new Race(2)) {
            race.inStep(ROUNDS, (side, round) -> {
                Attempt<String, String> attempt = attempts.get(round);
                if (side == 0) {
                    attempt.startOn(pool, new WaitingDriver());
                    attempt.await();
                    attempt.close();
                } else {
                    int pause = drawPause();
                    limitIsReached();
                    pause(pause);
                    attempt.cancel();
                }
            });
        }

        assertThat(attempts).extracting(Attempt::bodyStarted).containsOnly(false);
        assertThat(attempts)
                .as("some rounds won by the caller, some by the container")
                .extracting(Attempt::reason)
                .containsOnly(StageReason.TIMEOUT, StageReason.CANCELLED);
        assertThat(pool.active() + pool.queued())
                .as("only the body that holds the worker")
                .isEqualTo(1);
        hold.complete(true);
        pool.shutdown();
        assertThat(bodies).hasValue(0);
    }
}
