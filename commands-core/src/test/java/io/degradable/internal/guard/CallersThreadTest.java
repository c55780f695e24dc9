package io.degradable.internal.guard;

import static io.degradable.internal.guard.Bench.NANO;
import static io.degradable.internal.guard.Bench.OPEN_FOR;
import static io.degradable.internal.guard.Bench.TIMEOUT;
import static io.degradable.internal.guard.Bench.TOUCHY;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.StageReason;
import io.degradable.testing.Caller;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies on their callers' threads, behind a semaphore or inline: nobody can leave before the body ends. */
@Timeout(20)
final class CallersThreadTest {

    private static final Duration TOO_LONG = TIMEOUT.plus(NANO);

    private final Bench bench = new Bench();

    @AfterEach
    void close() {
        bench.close();
    }

    private void assertNothingIsHeld(Guard guard) {
        assertThat(guard.bulkhead().active()).isZero();
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void the_body_runs_on_the_thread_of_its_caller() {
        Guard guard = bench.onCaller();

        Call<String> attempt =
                bench.call(guard, Bench.body(() -> Thread.currentThread().getName()));

        assertThat(attempt.value()).isEqualTo(Thread.currentThread().getName());
        assertThat(attempt.bodyStarted()).isTrue();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
        assertNothingIsHeld(guard);
    }

    @Test
    void an_answer_at_the_limit_is_in_time() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(guard, bench.taking(TIMEOUT, () -> "just so"));

        assertThat(attempt.overrun()).isFalse();
        assertThat(guard.meter().overruns()).isZero();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    @DisplayName("B43: no early return; a late answer is given, marked, counted, and slow for the breaker")
    @Test
    void a_late_answer_is_an_answer() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(guard, bench.taking(TOO_LONG, () -> "late"));

        assertThat(attempt.reason()).isEqualTo(StageReason.ANSWER);
        assertThat(attempt.value()).isEqualTo("late");
        assertThat(attempt.overrun()).isTrue();
        assertThat(attempt.endNanos() - attempt.startNanos()).isEqualTo(TOO_LONG.toNanos());
        assertThat(guard.meter().overruns()).isEqualTo(1);
        assertThat(guard.meter().orphans()).isZero();
        assertThat(guard.meter().lateSuccesses()).isZero();
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
        assertNothingIsHeld(guard);
    }

    @Test
    void a_failure_after_the_limit_is_a_timeout() {
        Guard guard = bench.onCaller();
        IOException failure = new IOException("down");

        Call<String> attempt = bench.call(guard, bench.taking(TOO_LONG, () -> {
            throw failure;
        }));

        assertThat(attempt.reason()).isEqualTo(StageReason.TIMEOUT);
        assertThat(attempt.failure()).isSameAs(failure);
        assertThat(attempt.overrun()).isTrue();
        assertThat(guard.meter().overruns()).isEqualTo(1);
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
        assertNothingIsHeld(guard);
    }

    @Test
    void a_failure_at_the_limit_is_a_failure() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(guard, bench.taking(TIMEOUT, () -> {
            throw new IOException("down");
        }));

        assertThat(attempt.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
    }

    @Test
    void a_bad_request_after_the_limit_is_still_a_bad_request() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(guard, bench.taking(TOO_LONG, () -> {
            throw new BadRequestException("no such id");
        }));

        assertThat(attempt.reason()).isEqualTo(StageReason.BAD_REQUEST);
        assertThat(attempt.overrun()).isTrue();
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
    }

    @Test
    void an_answer_after_the_deadline_but_in_the_stages_time_is_good_for_the_breaker() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(
                guard, bench.taking(Duration.ofMillis(61), () -> "late"), bench.deadlineIn(Duration.ofMillis(60)));

        assertThat(attempt.reason()).isEqualTo(StageReason.ANSWER);
        assertThat(attempt.overrun()).isTrue();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    @Test
    void a_failure_after_the_deadline_is_over_budget_and_settled_by_what_the_body_did() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(
                guard,
                bench.taking(Duration.ofMillis(61), () -> {
                    throw new IOException("down");
                }),
                bench.deadlineIn(Duration.ofMillis(60)));

        assertThat(attempt.reason()).isEqualTo(StageReason.BUDGET);
        assertThat(bench.window(guard)).isEqualTo("0 good, 1 bad");
    }

    @DisplayName("B47: an interrupted body on the caller's thread is the caller's own interrupt")
    @Test
    void an_interrupted_body_cancels_and_leaves_the_interrupt() {
        Guard guard = bench.onCaller(TOUCHY, FailureRules.DEFAULT);
        InterruptedException interrupt = new InterruptedException();

        Call<String> attempt = bench.call(guard, Bench.failing(interrupt));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempt.reason()).isEqualTo(StageReason.CANCELLED);
        assertThat(attempt.failure()).isSameAs(interrupt);
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.CLOSED);
        assertNothingIsHeld(guard);
    }

    @Test
    void an_interrupt_that_the_body_left_standing_is_the_callers() {
        Guard guard = bench.onCaller();

        Call<String> attempt = bench.call(guard, Bench.body(() -> {
            Thread.currentThread().interrupt();
            return "live";
        }));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempt.value()).isEqualTo("live");
    }

    @Test
    void an_error_gives_the_slot_back_too() {
        Guard guard = bench.onCaller();

        for (int call = 0; call < 3; call++) {
            assertThat(bench.call(guard, Bench.failing(new StackOverflowError()))
                            .reason())
                    .isEqualTo(StageReason.FATAL);
        }

        assertNothingIsHeld(guard);
    }

    @Test
    void a_full_semaphore_refuses_at_once_and_hands_the_permit_back() throws InterruptedException {
        Guard guard = bench.onCaller(TOUCHY, FailureRules.DEFAULT);
        bench.call(guard, Bench.failing(new IOException("down")));
        bench.ticker.advance(OPEN_FOR);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        guard.bulkhead().tryEnter(); // somebody else is in the body

        Call<String> refused = bench.call(guard, Bench.body(() -> "live"));

        assertThat(refused.reason()).isEqualTo(StageReason.SEMAPHORE_FULL);
        assertThat(refused.bodyStarted()).isFalse();
        assertThat(refused.endNanos()).isEqualTo(refused.startNanos());
        guard.bulkhead().exit();
        Caller<Call<String>> probe = Caller.calls(() -> bench.call(guard, Bench.body(() -> {
            inside.countDown();
            release.await();
            return "live";
        })));
        inside.await();
        assertThat(guard.bulkhead().active()).isEqualTo(1);
        release.countDown();
        assertThat(probe.result().value()).isEqualTo("live");
        assertThat(guard.breaker().state(bench.ticker.nanos())).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_nested_call_gives_back_the_deadline_of_the_outer_one() {
        Guard outer = bench.onCaller();
        Guard inner = bench.onCaller();
        Body<String, String> asks =
                Bench.body(() -> Deadline.current().remaining().toString());

        Call<String> attempt = bench.call(outer, Bench.body(() -> {
            String before = Deadline.current().remaining().toString();
            String inside = bench.call(inner, asks, bench.deadlineIn(Duration.ofMillis(7)))
                    .value();
            return before + " " + inside + " " + Deadline.current().remaining();
        }));

        assertThat(attempt.value()).isEqualTo("PT0.1S PT0.007S PT0.1S");
        assertNothingIsHeld(outer);
    }

    @Test
    void a_body_that_fails_gives_back_the_deadline_too() {
        bench.call(bench.onCaller(), Bench.failing(new IOException("down")));

        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    // ---- inline ----

    @Test
    void an_inline_body_has_no_limit_and_sees_the_deadline_of_its_run() {
        Guard guard = bench.inline();

        Call<String> attempt = bench.call(
                guard,
                Bench.body(() -> {
                    String left = Deadline.current().remaining().toString();
                    bench.ticker.advance(Duration.ofMillis(6));
                    return left;
                }),
                bench.deadlineIn(Duration.ofMillis(5)));

        assertThat(attempt.value()).isEqualTo("PT0.005S");
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
        assertThat(attempt.overrun()).isFalse();
        assertThat(guard.isInline()).isTrue();
        assertThat(bench.onCaller().isInline()).isFalse();
    }

    @Test
    void an_inline_failure_is_a_failure_however_late() {
        Guard guard = bench.inline();

        Call<String> attempt = bench.call(
                guard,
                bench.taking(Duration.ofMillis(6), () -> {
                    throw new IOException("down");
                }),
                bench.deadlineIn(Duration.ofMillis(5)));

        assertThat(attempt.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(guard.meter().overruns()).isZero();
    }
}
