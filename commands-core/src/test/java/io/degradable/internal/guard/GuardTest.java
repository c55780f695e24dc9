package io.degradable.internal.guard;

import static io.degradable.internal.guard.Bench.MEASURING;
import static io.degradable.internal.guard.Bench.NANO;
import static io.degradable.internal.guard.Bench.OPEN_FOR;
import static io.degradable.internal.guard.Bench.TIMEOUT;
import static io.degradable.internal.guard.Bench.TOUCHY;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.Verdict;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.model.BadRequestException;
import io.degradable.model.CircuitState;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.testing.Race;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Breaker, bulkhead and meter around one body, and what each learns of it. */
@Timeout(30)
final class GuardTest {

    private final IOException failure = new IOException("down");

    private final Bench bench = new Bench();

    @AfterEach
    void close() {
        bench.close();
    }

    private CircuitState state(Guard guard) {
        return guard.breaker().state(bench.ticker.nanos());
    }

    // ---- what the breaker learns ----

    @ParameterizedTest
    @EnumSource
    void each_reason_teaches_the_breaker_one_thing(StageReason reason) {
        Guard guard = bench.onCaller();
        long slow = TIMEOUT.toNanos();

        Verdict inTime = guard.verdict(reason, true, slow);
        Verdict late = guard.verdict(reason, true, slow + 1);
        Verdict unstarted = guard.verdict(reason, false, slow + 1);

        Verdict expected =
                switch (reason) {
                    case ANSWER, ABSENT, TOO_OLD, FROM_THE_FUTURE, NULL_ANSWER -> Verdict.GOOD;
                    case EXCEPTION, FATAL, TIMEOUT -> Verdict.FAILED;
                    case UNCLASSED, FAILED_CLOSED, BAD_REQUEST, OVERLOADED, CANCELLED, BUDGET -> Verdict.UNUSED;
                    case SHORT_CIRCUITED, THREAD_POOL_FULL, QUEUE_TIMEOUT, SEMAPHORE_FULL, AT_MOST, QUOTA, REFILL ->
                        Verdict.UNUSED;
                    case SWITCHED, OUT, RAMPED -> Verdict.UNUSED;
                    case YOUNG_COPY, NOT_FOR_TRIGGER, NOT_FOR_FAILURE, OUTCOME_UNKNOWN, UNHEALTHY, NO_TIME_LEFT ->
                        Verdict.UNUSED;
                };
        assertThat(inTime).isEqualTo(expected);
        assertThat(late).isEqualTo(expected == Verdict.GOOD ? Verdict.SLOW : expected);
        assertThat(unstarted).as("a body that never started says nothing").isEqualTo(Verdict.UNUSED);
    }

    @Test
    void slow_is_a_setting_of_its_own() {
        GuardSettings settings =
                new GuardSettings(new BulkheadSettings.Semaphore(1), TIMEOUT, true, Duration.ofMillis(30), MEASURING);
        Guard guard = new Guard(settings, new SemaphoreBulkhead(1), FailureRules.DEFAULT, bench.ticker, Runnable::run);

        bench.call(guard, bench.taking(Duration.ofMillis(30), () -> "live"));
        bench.call(guard, bench.taking(Duration.ofMillis(31), () -> "slow"));

        assertThat(bench.window(guard)).isEqualTo("1 good, 1 bad");
        assertThat(guard.meter().overruns()).isZero();
    }

    @DisplayName("B02: failures that say nothing about the dependency never open the breaker")
    @Test
    void ignored_unclassed_and_overloaded_failures_do_not_count() {
        FailureRules rules = new FailureRules(
                failure -> false,
                failure -> false,
                IllegalStateException.class::isInstance,
                failure -> !(failure instanceof UnsupportedOperationException));
        Guard guard = bench.onCaller(TOUCHY, rules);

        bench.call(guard, Bench.failing(new BadRequestException("no such id")));
        bench.call(guard, Bench.failing(new IllegalStateException("busy")));
        bench.call(guard, Bench.failing(new UnsupportedOperationException("no")));

        assertThat(state(guard)).isEqualTo(CircuitState.CLOSED);
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
    }

    @DisplayName("B24: failed and slow calls are one share")
    @Test
    void slow_and_failed_calls_open_the_breaker_together() {
        BreakerSettings half = new BreakerSettings(true, 4, 50, Duration.ofSeconds(10), 10, OPEN_FOR, OPEN_FOR, 1, 100);
        Guard guard = bench.onCaller(half, FailureRules.DEFAULT);

        bench.call(guard, Bench.body(() -> "live"));
        bench.call(guard, Bench.body(() -> "live"));
        bench.call(guard, bench.taking(TIMEOUT.plus(NANO), () -> "slow"));
        assertThat(state(guard)).isEqualTo(CircuitState.CLOSED);
        bench.call(guard, Bench.failing(failure));

        assertThat(state(guard)).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void a_miss_is_no_failure_of_what_was_asked() {
        Guard guard = bench.onCaller(TOUCHY, FailureRules.DEFAULT);

        Call<String> attempt = bench.call(guard, Bench.body(() -> null));

        assertThat(attempt.reason()).isEqualTo(StageReason.NULL_ANSWER);
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    @Test
    void a_user_function_that_throws_is_counted_once() {
        FailureRules rules = new FailureRules(
                failure -> {
                    throw new IllegalStateException("a mistake in the rule");
                },
                failure -> false,
                failure -> false,
                null);
        Guard guard = bench.onCaller(MEASURING, rules);

        Call<String> attempt = bench.call(guard, Bench.failing(failure));

        assertThat(attempt.reason()).isEqualTo(StageReason.BAD_REQUEST);
        assertThat(attempt.failure()).isSameAs(failure);
        assertThat(failure.getSuppressed()).isEmpty();
        assertThat(guard.meter().mistakes()).isEqualTo(1);
    }

    @Test
    void a_judge_that_throws_fails_the_call() {
        Guard guard = bench.onCaller();
        IllegalStateException mistake = new IllegalStateException("cannot tell");
        Body<String, String> body = new Body<>() {
            @Override
            public String call(String command, @Nullable FallbackContext context) {
                return "live";
            }

            @Override
            public StageReason judge(@Nullable String value) {
                throw mistake;
            }
        };

        Call<String> attempt = bench.call(guard, body);

        assertThat(attempt.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(attempt.failure()).isSameAs(mistake);
        assertThat(guard.bulkhead().active()).isZero();
    }

    // ---- refusals ----

    @Test
    void an_open_breaker_refuses_before_a_slot_is_taken() {
        Guard guard = bench.onCaller(TOUCHY, FailureRules.DEFAULT);
        bench.call(guard, Bench.failing(failure));
        AtomicInteger bodies = new AtomicInteger();

        Call<String> attempt = bench.call(guard, Bench.body(() -> "body " + bodies.incrementAndGet()));

        assertThat(attempt.reason()).isEqualTo(StageReason.SHORT_CIRCUITED);
        assertThat(attempt.bodyStarted()).isFalse();
        assertThat(attempt.endNanos()).isEqualTo(attempt.startNanos());
        assertThat(bodies).hasValue(0);
        assertThat(guard.bulkhead().active()).isZero();
        assertThat(guard.meter().ended(StageReason.SHORT_CIRCUITED)).isEqualTo(1);
    }

    @DisplayName("B84: a full bulkhead is no failure of the dependency")
    @Test
    void refusals_of_the_bulkhead_do_not_count_for_the_breaker() {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.occupyTheWorker();
        bench.pool.tryEnter(); // the queue is full, too

        for (int call = 0; call < 99; call++) {
            assertThat(bench.call(guard, Bench.body(() -> "live")).reason()).isEqualTo(StageReason.THREAD_POOL_FULL);
        }

        assertThat(state(guard)).isEqualTo(CircuitState.CLOSED);
        assertThat(bench.window(guard)).isEqualTo("0 good, 0 bad");
        assertThat(guard.meter().ended(StageReason.THREAD_POOL_FULL)).isEqualTo(99);
    }

    @DisplayName("B07: the bulkhead refuses the probe, and the next call is the probe")
    @Test
    void a_refused_bulkhead_hands_the_probe_back() {
        Guard guard = bench.onPool(TOUCHY, true);
        bench.call(guard, Bench.failing(failure));
        bench.ticker.advance(OPEN_FOR);
        bench.occupyTheWorker();
        bench.pool.tryEnter();

        assertThat(bench.call(guard, Bench.body(() -> "live")).reason()).isEqualTo(StageReason.THREAD_POOL_FULL);

        bench.pool.exit();
        bench.letTheWorkerGo();
        bench.untilTheWorkerIsFree();
        assertThat(state(guard)).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(bench.call(guard, Bench.body(() -> "live")).value()).isEqualTo("live");
        assertThat(state(guard)).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_guard_without_a_limit_waits_for_its_body() {
        GuardSettings settings = new GuardSettings(
                new BulkheadSettings.Semaphore(1),
                GuardSettings.NO_TIMEOUT,
                true,
                GuardSettings.NO_TIMEOUT,
                BreakerSettings.DEFAULT);
        Guard guard = new Guard(settings, new SemaphoreBulkhead(1), FailureRules.DEFAULT, bench.ticker, Runnable::run);

        Call<String> attempt = bench.call(guard, bench.taking(Duration.ofDays(365), () -> "at last"));

        assertThat(guard.timeoutNanos()).isEqualTo(Spans.FOREVER);
        assertThat(attempt.value()).isEqualTo("at last");
        assertThat(attempt.overrun()).isFalse();
        assertThat(bench.window(guard)).isEqualTo("1 good, 0 bad");
    }

    // ---- as many callers as threads ----

    @Test
    void as_many_callers_as_threads_are_never_refused() throws Exception {
        BulkheadSettings.ThreadPool figures = new BulkheadSettings.ThreadPool("busy", 4, 0);
        ThreadPoolBulkhead pool = new ThreadPoolBulkhead(figures);
        GuardSettings settings =
                new GuardSettings(figures, GuardSettings.NO_TIMEOUT, true, GuardSettings.NO_TIMEOUT, MEASURING);
        Guard guard = new Guard(settings, pool, FailureRules.DEFAULT, Ticker.system(), Runnable::run);
        Body<String, String> body = Bench.body(() -> "live");
        try (Race race = new Race(4)) {
            List<Integer> answers = race.round(side -> {
                int answered = 0;
                for (int call = 0; call < 30_000; call++) {
                    long now = Ticker.system().nanos();
                    answered +=
                            Bench.call(guard, body, now, now + Spans.FOREVER).reason() == StageReason.ANSWER ? 1 : 0;
                }
                return answered;
            });

            assertThat(answers).containsOnly(30_000);
        } finally {
            pool.cancelAll(Runnable::run);
        }
        assertThat(pool.active()).isZero();
        assertThat(guard.meter().ended(StageReason.ANSWER)).isEqualTo(120_000);
        assertThat(pool.largestPoolSize()).isEqualTo(4);
    }
}
