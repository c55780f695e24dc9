package io.degradable.internal.guard;

import static io.degradable.internal.guard.Bench.MEASURING;
import static io.degradable.internal.guard.Bench.NANO;
import static io.degradable.internal.guard.Bench.OPEN_FOR;
import static io.degradable.internal.guard.Bench.TIMEOUT;
import static io.degradable.internal.guard.Bench.TOUCHY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.internal.breaker.Permit;
import io.degradable.internal.guard.Bench.Ended;
import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.testing.Caller;
import io.degradable.time.Deadline;
import io.degradable.time.Spans;
import java.io.IOException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every row of the table in {@link Attempt}: who decides a call on a pool, and what follows. */
@Timeout(30)
final class AttemptTest {

    private static final Duration BEFORE_TIMEOUT = Duration.ofMillis(60);

    private final Bench bench = new Bench();
    private final HeldBody held = new HeldBody();

    @AfterEach
    void close() {
        held.returns("at the end of the test");
        bench.close();
    }

    private Caller<Ended> callOfHeldBody(Guard guard) throws InterruptedException {
        return callOfHeldBody(guard, bench.noDeadline());
    }

    private Caller<Ended> callOfHeldBody(Guard guard, long deadlineNanos) throws InterruptedException {
        Caller<Ended> caller = bench.waitingCall(guard, held, deadlineNanos);
        held.untilStarted();
        return caller;
    }

    private void letTheBodyReturn() {
        held.returns("late");
        bench.untilTheWorkerIsFree();
    }

    private void letTheBodyFail(Exception failure) {
        held.fails(failure);
        bench.untilTheWorkerIsFree();
    }

    // ---- the body ends first ----

    @Test
    void a_worker_runs_the_body_and_the_caller_settles() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);
        bench.ticker.advance(BEFORE_TIMEOUT);
        long end = bench.ticker.nanos();

        held.returns("live");

        Call<String> attempt = caller.result().attempt();
        assertThat(attempt.reason()).isEqualTo(StageReason.ANSWER);
        assertThat(attempt.reason() == StageReason.ANSWER).isTrue();
        assertThat(attempt.value()).isEqualTo("live");
        assertThat(attempt.failure()).isNull();
        assertThat(attempt.bodyStarted()).isTrue();
        assertThat(attempt.overrun()).isFalse();
        assertThat(attempt.endNanos()).isEqualTo(end);
        assertThat(attempt.endNanos() - attempt.startNanos()).isEqualTo(BEFORE_TIMEOUT.toNanos());
        assertThat(bench.pool.active())
                .as("the slot is free before the answer shows")
                .isZero();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
        assertThat(guard.meter().lateSuccesses() + guard.meter().lateFailures()).isZero();
        assertThat(held.wasInterrupted()).isFalse();
    }

    @Test
    void what_the_body_throws_is_the_failure_of_the_attempt() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);
        IOException failure = new IOException("down");

        held.fails(failure);

        Call<String> attempt = caller.result().attempt();
        assertThat(attempt.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(attempt.reason() == StageReason.ANSWER).isFalse();
        assertThat(attempt.failure()).isSameAs(failure);
        assertThat(attempt.value()).isNull();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
        assertThat(bench.pool.active()).isZero();
    }

    @Test
    void an_answer_in_the_last_nanosecond_is_in_time() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);
        bench.ticker.advance(TIMEOUT.minus(NANO));

        held.returns("just so");

        assertThat(caller.result().attempt().value()).isEqualTo("just so");
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    @Test
    void the_body_gets_command_and_context_on_a_thread_of_the_pool() {
        List<Object> seen = new ArrayList<>();
        Guard guard = bench.onPool();
        Body<String, String> body = new Body<>() {
            @Override
            public String call(String command, @Nullable FallbackContext context) {
                seen.add(command);
                seen.add(context == null ? "no context" : context);
                seen.add(Thread.currentThread().getName());
                return "live";
            }

            @Override
            public StageReason judge(@Nullable String value) {
                return StageReason.ANSWER;
            }
        };

        Bench.call(guard, body, bench.ticker.nanos(), bench.noDeadline());

        assertThat(seen).containsExactly("command", "no context", "degradable-bench-1");
    }

    @Test
    void an_interrupted_exception_that_nobody_caused_is_a_failure() {
        Guard guard = bench.onPool();

        Call<String> attempt = bench.call(guard, Bench.failing(new InterruptedException("of its own")));

        assertThat(attempt.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
    }

    @Test
    void an_error_reaches_the_caller_as_a_fatal_failure_and_the_worker_lives_on() {
        Guard guard = bench.onPool();
        StackOverflowError error = new StackOverflowError();

        Call<String> attempt = bench.call(guard, Bench.failing(error));

        assertThat(attempt.reason()).isEqualTo(StageReason.FATAL);
        assertThat(attempt.failure()).isSameAs(error);
        assertThat(bench.call(guard, Bench.body(() -> "live")).value()).isEqualTo("live");
        assertThat(bench.pool.largestPoolSize()).isEqualTo(1);
    }

    @Test
    void a_body_sees_the_earlier_of_limit_and_deadline_and_leaves_none_behind() {
        Guard guard = bench.onPool();
        Body<String, String> asks =
                Bench.body(() -> Deadline.current().remaining().toString());

        assertThat(bench.call(guard, asks).value()).isEqualTo(TIMEOUT.toString());
        assertThat(bench.call(guard, asks, bench.deadlineIn(BEFORE_TIMEOUT)).value())
                .isEqualTo(BEFORE_TIMEOUT.toString());
        assertThat(bench.<Object>onTheWorker(Deadline::current)).isSameAs(Deadline.NONE);
    }

    // ---- the body has not started ----

    private enum Leaving {
        LIMIT(StageReason.TIMEOUT),
        DEADLINE(StageReason.BUDGET),
        INTERRUPT(StageReason.CANCELLED);

        final StageReason reason;

        Leaving(StageReason reason) {
            this.reason = reason;
        }
    }

    /** Makes a waiting caller leave in one of three ways. */
    private Ended leave(Leaving how, Guard guard) throws InterruptedException {
        long deadline = how == Leaving.DEADLINE ? bench.deadlineIn(BEFORE_TIMEOUT) : bench.noDeadline();
        Caller<Ended> caller = bench.waitingCall(guard, held, deadline);
        switch (how) {
            case LIMIT -> bench.ticker.advance(TIMEOUT);
            case DEADLINE -> bench.ticker.advance(BEFORE_TIMEOUT);
            case INTERRUPT -> caller.interrupt();
        }
        return caller.result();
    }

    @DisplayName("A body that never started is not run, its slot is free at once and its permit unused")
    @ParameterizedTest
    @EnumSource
    void a_call_that_leaves_the_queue_was_never_made(Leaving how) throws InterruptedException {
        Guard guard = bench.onPool();
        bench.occupyTheWorker();

        Ended ended = leave(how, guard);

        assertThat(ended.attempt().reason()).isEqualTo(how.reason);
        assertThat(ended.attempt().bodyStarted()).isFalse();
        assertThat(ended.attempt().failure()).isNull();
        assertThat(ended.interrupted()).as("the interrupt is the caller's own").isEqualTo(how == Leaving.INTERRUPT);
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        assertThat(bench.pool.queued()).isZero();
        assertThat(bench.pool.tryEnter())
                .as("the place in the queue is free at once")
                .isTrue();
        assertThat(guard.meter().orphans()).isZero();
        bench.letTheWorkerGo();
        bench.untilTheWorkerIsFree();
        assertThat(held.hasStarted()).isFalse();
        assertThat(guard.meter().lateSuccesses() + guard.meter().lateFailures()).isZero();
    }

    @DisplayName("A half-open breaker gets a probe back that never started")
    @ParameterizedTest
    @EnumSource
    void a_probe_that_leaves_the_queue_makes_room_for_another(Leaving how) throws InterruptedException {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.call(guard, Bench.failing(new IOException("down")));
        bench.ticker.advance(OPEN_FOR);
        bench.occupyTheWorker();

        leave(how, guard);

        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.HALF_OPEN);
        bench.letTheWorkerGo();
        bench.untilTheWorkerIsFree();
        assertThat(bench.call(guard, Bench.body(() -> "live")).value()).isEqualTo("live");
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_caller_that_comes_with_an_interrupt_does_not_wait() {
        Guard guard = bench.onPool();
        bench.occupyTheWorker();

        Caller<Ended> caller = Caller.calls(() -> {
            Thread.currentThread().interrupt();
            return new Ended(bench.call(guard, held), Thread.currentThread().isInterrupted());
        });

        assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.CANCELLED);
        assertThat(caller.result().interrupted()).isTrue();
        assertThat(bench.pool.queued()).isZero();
        bench.letTheWorkerGo();
        bench.untilTheWorkerIsFree();
        assertThat(held.hasStarted()).isFalse();
    }

    @Test
    void a_closing_container_cancels_what_has_not_started() throws InterruptedException {
        Guard guard = bench.onPool();
        bench.occupyTheWorker();
        Caller<Ended> caller = bench.waitingCall(guard, held, bench.noDeadline());

        bench.pool.shutdown();
        bench.pool.cancelAll(Runnable::run);

        Call<String> attempt = caller.result().attempt();
        assertThat(attempt.reason()).isEqualTo(StageReason.CANCELLED);
        assertThat(attempt.bodyStarted()).isFalse();
        assertThat(attempt.failure()).isNull();
        assertThat(caller.result().interrupted()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        assertThat(bench.pool.queued()).isZero();
        assertThat(held.hasStarted()).isFalse();
    }

    @Test
    void a_closed_pool_cancels_a_call_at_once() {
        Guard guard = bench.onPool();
        bench.pool.shutdown();

        Call<String> attempt = bench.call(guard, held);

        assertThat(attempt.reason()).isEqualTo(StageReason.CANCELLED);
        assertThat(attempt.bodyStarted()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        assertThat(bench.pool.active()).isZero();
        assertThat(held.hasStarted()).isFalse();
    }

    // ---- the limit comes first ----

    @DisplayName("B40, B48: a caller leaves at the limit, and its worker is interrupted")
    @Test
    void a_timeout_returns_at_the_limit_while_the_body_runs_on() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);

        bench.ticker.advance(TIMEOUT);

        Call<String> attempt = caller.result().attempt();
        assertThat(attempt.reason()).isEqualTo(StageReason.TIMEOUT);
        assertThat(attempt.bodyStarted()).isTrue();
        assertThat(attempt.failure()).isNull();
        assertThat(attempt.endNanos() - attempt.startNanos()).isEqualTo(TIMEOUT.toNanos());
        assertThat(caller.result().interrupted()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
        assertThat(held.wasInterrupted()).isTrue();
    }

    @DisplayName("B41, B42: the slot is freed when the body ends, not when its caller leaves")
    @Test
    void the_slot_belongs_to_the_body() throws InterruptedException {
        try (Bench withoutQueue = new Bench(0)) {
            Guard guard = withoutQueue.onPool();
            Caller<Ended> caller = withoutQueue.waitingCall(guard, held, withoutQueue.noDeadline());
            held.untilStarted();
            withoutQueue.ticker.advance(TIMEOUT);
            assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.TIMEOUT);

            assertThat(withoutQueue.pool.active()).isEqualTo(1);
            assertThat(guard.meter().orphans()).isEqualTo(1);
            Call<String> second = withoutQueue.call(guard, Bench.body(() -> "live"));
            assertThat(second.reason()).isEqualTo(StageReason.THREAD_POOL_FULL);
            held.returns("late");
            withoutQueue.untilTheWorkerIsFree();

            assertThat(withoutQueue.pool.active()).isZero();
            assertThat(guard.meter().orphans()).isZero();
            assertThat(withoutQueue.call(guard, Bench.body(() -> "live")).value())
                    .isEqualTo("live");
        }
    }

    @DisplayName("B42: four calls time out, and no more bodies than threads have started")
    @Test
    void orphans_are_counted_until_they_end() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> first = callOfHeldBody(guard);
        bench.ticker.advance(TIMEOUT);
        first.result();
        HeldBody second = new HeldBody();

        for (int call = 0; call < 3; call++) {
            Caller<Ended> caller = bench.waitingCall(guard, second, bench.noDeadline());
            bench.ticker.advance(TIMEOUT);
            assertThat(caller.result().attempt().bodyStarted()).isFalse();
        }

        assertThat(guard.meter().orphans()).isEqualTo(1);
        assertThat(second.hasStarted()).isFalse();
        assertThat(bench.window(guard))
                .as("only the first said something of the dependency")
                .isEqualTo("0 good, 1 bad");
    }

    @Test
    void a_worker_is_left_alone_when_the_setting_says_so() throws InterruptedException {
        Guard guard = bench.onPool(MEASURING, false);
        Caller<Ended> caller = callOfHeldBody(guard);

        bench.ticker.advance(TIMEOUT);

        assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.TIMEOUT);
        assertThat(guard.meter().orphans()).isEqualTo(1);
        letTheBodyReturn();
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(guard.meter().orphans()).isZero();
        assertThat(guard.meter().lateSuccesses()).isEqualTo(1);
        assertThat(bench.pool.active()).isZero();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
    }

    @DisplayName("B48: a late answer is a late success and nothing else")
    @Test
    void a_late_answer_moves_its_own_count_only() throws InterruptedException {
        Guard guard = bench.onPool(TOUCHY, true);
        Caller<Ended> caller = callOfHeldBody(guard);
        bench.ticker.advance(TIMEOUT);
        caller.result();
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.OPEN);
        bench.ticker.advance(OPEN_FOR);

        letTheBodyReturn();

        assertThat(guard.meter().lateSuccesses()).isEqualTo(1);
        assertThat(guard.meter().lateFailures()).isZero();
        assertThat(guard.meter().ended(StageReason.ANSWER)).isZero();
        assertThat(guard.meter().ended(StageReason.TIMEOUT)).isEqualTo(1);
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(guard.breaker().opened()).isEqualTo(1);
        assertThat(caller.result().attempt().outcome()).isNotEqualTo(StageOutcome.ANSWERED);
    }

    @Test
    void a_late_failure_moves_its_own_count_only() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);
        bench.ticker.advance(TIMEOUT);
        Call<String> attempt = caller.result().attempt();

        letTheBodyFail(new IOException("late"));

        assertThat(guard.meter().lateFailures()).isEqualTo(1);
        assertThat(guard.meter().lateSuccesses()).isZero();
        assertThat(guard.meter().ended(StageReason.EXCEPTION)).isZero();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
        assertThat(attempt.reason()).isEqualTo(StageReason.TIMEOUT);
        assertThat(attempt.failure()).isNull();
    }

    // ---- the deadline of the run comes first ----

    @DisplayName("A limit cut short by the deadline fails no breaker; the real end of the body settles the permit")
    @ParameterizedTest
    @CsvSource({
        "60, returns, 0, 1 good",
        "60, returns, 40, 1 good", // ends just in its own time
        "60, returns, 41, 1 bad", // was too slow all the same
        "60, fails, 0, 1 bad",
        "60, bad request, 0, nothing",
    })
    void a_call_that_ends_at_the_deadline_is_judged_when_its_body_ends(
            int deadlineMillis, String how, int moreMillis, String learned) throws InterruptedException {
        Guard guard = bench.onPool(MEASURING, false);
        Caller<Ended> caller = callOfHeldBody(guard, bench.deadlineIn(Duration.ofMillis(deadlineMillis)));

        bench.ticker.advance(Duration.ofMillis(deadlineMillis));
        Call<String> attempt = caller.result().attempt();

        assertThat(attempt.reason()).isEqualTo(StageReason.BUDGET);
        assertThat(attempt.bodyStarted()).isTrue();
        assertThat(guard.meter().orphans()).isEqualTo(1);
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        bench.ticker.advance(Duration.ofMillis(moreMillis));
        switch (how) {
            case "returns" -> letTheBodyReturn();
            case "fails" -> letTheBodyFail(new IOException("down"));
            default -> letTheBodyFail(new BadRequestException("no such id"));
        }
        assertThat(bench.window(guard))
                .isEqualTo((learned.equals("1 good") ? 1 : 0) + " good, " + (learned.equals("1 bad") ? 1 : 0) + " bad");
        assertThat(guard.meter().orphans()).isZero();
        assertThat(guard.meter().lateSuccesses() + guard.meter().lateFailures()).isEqualTo(1);
    }

    @Test
    void at_the_deadline_the_worker_is_interrupted_too() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard, bench.deadlineIn(BEFORE_TIMEOUT));

        bench.ticker.advance(BEFORE_TIMEOUT);

        assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.BUDGET);
        assertThat(held.wasInterrupted()).isTrue();
        letTheBodyReturn();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    @Test
    void a_limit_at_the_very_moment_of_the_deadline_is_the_stages_own() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard, bench.deadlineIn(TIMEOUT));

        bench.ticker.advance(TIMEOUT);

        assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.TIMEOUT);
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
    }

    @Test
    void a_probe_whose_caller_left_at_the_deadline_decides_when_it_ends() throws InterruptedException {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.call(guard, Bench.failing(new IOException("down")));
        bench.ticker.advance(OPEN_FOR);
        Caller<Ended> caller = callOfHeldBody(guard, bench.deadlineIn(BEFORE_TIMEOUT));
        bench.ticker.advance(BEFORE_TIMEOUT);
        caller.result();

        Call<String> meanwhile = bench.call(guard, Bench.body(() -> "live"));
        letTheBodyReturn();

        assertThat(meanwhile.reason()).isEqualTo(StageReason.SHORT_CIRCUITED);
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B01: a probe that hangs beyond the deadline for ever is given up a second after its time limit")
    @Test
    void a_probe_that_hangs_loses_its_lease() throws InterruptedException {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.call(guard, Bench.failing(new IOException("down")));
        bench.ticker.advance(OPEN_FOR);
        Caller<Ended> caller = callOfHeldBody(guard, bench.deadlineIn(BEFORE_TIMEOUT));
        bench.ticker.advance(BEFORE_TIMEOUT);
        caller.result();
        Duration lease = TIMEOUT.plusSeconds(1);

        bench.ticker.advance(lease.minus(BEFORE_TIMEOUT));
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.HALF_OPEN);
        bench.ticker.advance(NANO);
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.OPEN);

        letTheBodyReturn();
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.OPEN);
        bench.ticker.advance(OPEN_FOR);
        assertThat(bench.call(guard, Bench.body(() -> "live")).value()).isEqualTo("live");
    }

    // ---- the caller is interrupted ----

    @DisplayName("B47: an interrupted caller is cancelled, keeps its interrupt, and teaches the breaker nothing")
    @Test
    void an_interrupted_caller_is_cancelled() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);

        caller.interrupt();

        Call<String> attempt = caller.result().attempt();
        assertThat(attempt.reason()).isEqualTo(StageReason.CANCELLED);
        assertThat(attempt.bodyStarted()).isTrue();
        assertThat(caller.result().interrupted()).isTrue();
        assertThat(held.wasInterrupted()).isTrue();
        assertThat(guard.meter().orphans()).isEqualTo(1);
        assertThat(bench.pool.active()).isEqualTo(1);
        letTheBodyFail(new InterruptedException("as it should"));
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        assertThat(guard.meter().lateFailures()).isEqualTo(1);
        assertThat(guard.meter().orphans()).isZero();
        assertThat(bench.pool.active()).isZero();
    }

    @Test
    void the_worker_of_an_interrupted_caller_is_left_alone_when_the_setting_says_so() throws InterruptedException {
        Guard guard = bench.onPool(MEASURING, false);
        Caller<Ended> caller = callOfHeldBody(guard);

        caller.interrupt();

        assertThat(caller.result().attempt().reason()).isEqualTo(StageReason.CANCELLED);
        letTheBodyReturn();
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
    }

    @DisplayName("B04: a cancelled probe makes room for another at once")
    @Test
    void a_cancelled_probe_is_handed_back() throws InterruptedException {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.call(guard, Bench.failing(new IOException("down")));
        bench.ticker.advance(OPEN_FOR);
        Caller<Ended> caller = callOfHeldBody(guard);

        caller.interrupt();
        caller.result();
        letTheBodyReturn();

        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(bench.call(guard, Bench.body(() -> "live")).value()).isEqualTo("live");
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.CLOSED);
    }

    // ---- the worker's next task ----

    @DisplayName("B45: no interrupt is left on the worker, whoever set it")
    @Test
    void a_worker_comes_back_from_a_body_without_an_interrupt() {
        Guard guard = bench.onPool();
        Body<String, String> interruptsItself = Bench.body(() -> {
            Thread.currentThread().interrupt();
            return "live";
        });
        Attempt<String, String> attempt = new Attempt<>(guard, interruptsItself, "command", null, bench.ticker.nanos());
        Permit permit = guard.breaker().tryAcquire(bench.ticker.nanos());
        assertThat(permit).isNotNull();
        assertThat(bench.pool.tryEnter()).isTrue();
        attempt.admit(permit, bench.noDeadline(), bench.noDeadline(), Spans.FOREVER);

        attempt.run(); // on this thread: the executor would clear the flag once more and hide a mistake

        assertThat(Thread.interrupted()).isFalse();
        assertThat(bench.pool.active()).isZero();
    }

    @DisplayName("B45: the body ignores its interrupt, and the next body on the same worker sees none")
    @Test
    void the_next_task_of_a_timed_out_worker_sees_no_interrupt() throws InterruptedException {
        Guard guard = bench.onPool();
        Caller<Ended> caller = callOfHeldBody(guard);
        bench.ticker.advance(TIMEOUT);
        caller.result();
        held.returns("late");

        String next = bench.call(
                        guard,
                        Bench.body(() -> Thread.currentThread().getName() + " "
                                + Thread.currentThread().isInterrupted()))
                .value();

        assertThat(next).isEqualTo("degradable-bench-1 false");
    }

    /** Keeps every further interrupt of the thread in {@link #keep()} from being delivered, until the test lets them. */
    private static final class SlowDelivery extends AbstractInterruptibleChannel {

        final CountDownLatch underWay = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);

        void keep() {
            begin();
        }

        @Override
        protected void implCloseChannel() {
            underWay.countDown(); // called by the first to interrupt, who holds the thread's own lock for interrupts
            try {
                go.await();
            } catch (InterruptedException overdue) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @DisplayName("B45: an interrupt that is slow to arrive is waited for, and does not arrive in the next task")
    @Test
    @SuppressWarnings("ThreadPriorityCheck") // gives a next task that comes too early the time to show
    void the_next_task_waits_for_an_interrupt_that_is_on_its_way() throws Exception {
        Guard guard = bench.onPool();
        SlowDelivery delivery = new SlowDelivery();
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        Caller<Ended> caller = bench.waitingCall(
                guard,
                Bench.body(() -> {
                    delivery.keep();
                    worker.complete(Thread.currentThread());
                    return held.call("command", null);
                }),
                bench.noDeadline());
        held.untilStarted();
        Caller<Boolean> firstToInterrupt = Caller.calls(() -> {
            Caller.valueOf(worker).interrupt();
            return true;
        });
        delivery.underWay.await();
        CompletableFuture<Boolean> delivered = new CompletableFuture<>();
        CompletableFuture<Boolean> nextStarted = new CompletableFuture<>();
        CompletableFuture<Boolean> nextInterrupted = new CompletableFuture<>();
        bench.pool.start(() -> {
            nextStarted.complete(true);
            delivered.join();
            nextInterrupted.complete(Thread.currentThread().isInterrupted());
        });

        bench.ticker.advance(TIMEOUT);
        while (caller.state() != Thread.State.BLOCKED
                && !caller.isDone()
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait(); // until the caller is about to interrupt the worker
        }
        held.returns("late");
        for (int turn = 0; turn < 10_000 && !nextStarted.isDone(); turn++) {
            Thread.yield();
        }
        delivery.go.countDown();
        caller.result();
        firstToInterrupt.result();
        delivered.complete(true);

        assertThat(Caller.valueOf(nextInterrupted)).isFalse();
    }

    // ---- as a record ----

    @Test
    void an_attempt_says_how_it_ended_once_it_has() {
        Guard guard = bench.onPool();
        Attempt<String, String> running =
                new Attempt<>(guard, Bench.body(() -> "live"), "command", null, bench.ticker.nanos());

        assertThat(running).hasToString("Attempt[QUEUED]");
        assertThatThrownBy(running::reason)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the call has not ended");
        assertThat(bench.call(guard, Bench.body(() -> "live"))).hasToString("Attempt[ANSWER]");
    }
}
