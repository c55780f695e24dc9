package io.degradable.internal.stage;

import static io.degradable.model.Trigger.FAILURE;
import static io.degradable.model.Trigger.OVERLOADED;
import static io.degradable.model.Trigger.SEMAPHORE_REJECTED;
import static io.degradable.model.Trigger.SHORT_CIRCUITED;
import static io.degradable.model.Trigger.THREAD_POOL_REJECTED;
import static io.degradable.model.Trigger.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.LocalCache;
import io.degradable.cache.Timestamped;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.guard.Guard;
import io.degradable.model.CommandKey;
import io.degradable.model.FallbackContext;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.StageSettings;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** When a stage of the chain is entered (H3), and what it says when it is not. */
final class StageEntryTest {

    private static final Duration STAGE_TIMEOUT = Duration.ofMillis(100);
    private static final Duration BUDGET = Duration.ofMillis(250);
    private final IOException cause = new IOException("the primary is down");

    private static final BreakerSettings OPENS_AT_ONCE = new BreakerSettings(
            true, 1, 1, Duration.ofSeconds(10), 10, Duration.ofSeconds(5), Duration.ofSeconds(5), 1, 100);

    private final ManualTicker ticker = new ManualTicker();
    private final Guard primary = guard(BreakerSettings.DISABLED);
    private final Guard sparesGuard = guard(BreakerSettings.DISABLED);

    private Guard guard(BreakerSettings breaker) {
        BulkheadSettings.Semaphore two = new BulkheadSettings.Semaphore(2);
        GuardSettings settings = new GuardSettings(two, STAGE_TIMEOUT, true, STAGE_TIMEOUT, breaker);
        return new Guard(settings, new SemaphoreBulkhead(two.limit()), FailureRules.DEFAULT, ticker, Runnable::run);
    }

    private Guard inline() {
        return new Guard(GuardSettings.INLINE, InlineBulkhead.INSTANCE, FailureRules.DEFAULT, ticker, Runnable::run);
    }

    private static StageSettings settings(Source kind, EntrySettings entry, Guard guard) {
        return StageSettings.of(kind.tag(), kind, "behind", entry, guard.settings());
    }

    private static EntrySettings entry(Set<Trigger> on, boolean whileHealthy) {
        return new EntrySettings(on, whileHealthy, 0, 0, false);
    }

    private Stage<String, ?, String> spare(EntrySettings entry, Guard guard) {
        return spare(entry, guard, null);
    }

    private Stage<String, ?, String> spare(
            EntrySettings entry, Guard guard, @Nullable Predicate<? super Throwable> onFailure) {
        return Stage.spare(
                settings(Source.SPARE, entry, guard), guard, (command, context) -> "spare", onFailure, ticker);
    }

    private Stage<String, ?, String> byDefault(Source kind) {
        EntrySettings entry = EntrySettings.byDefault(kind);
        return switch (kind) {
            case SPARE -> spare(entry, sparesGuard);
            case CACHE -> {
                LocalCache<String, String> cache = new LocalCache<>(CacheSpec.named("copies"), ticker);
                cache.put("command", new Timestamped<>("copy", ticker.nanos()));
                Guard guard = inline();
                yield Stage.cached(
                        settings(kind, entry, guard), guard, cache::read, cache, command -> command, null, ticker);
            }
            case STATIC -> {
                Guard guard = inline();
                yield Stage.template(settings(kind, entry, guard), guard, command -> "template", null, ticker);
            }
            case PRIMARY -> throw new AssertionError("the primary is no link of the chain");
        };
    }

    private StageReason enter(Stage<String, ?, String> stage, Trigger trigger) {
        return enter(stage, trigger, BUDGET);
    }

    private StageReason enter(Stage<String, ?, String> stage, Trigger trigger, Duration left) {
        FallbackContext context = new FallbackContext(
                new CommandKey("command", "group"), trigger, cause, Duration.ofMillis(1), Level.NORMAL, 1);
        long now = ticker.nanos();
        return StageCalls.next(stage, "command", context, primary.meter(), now, now + left.toNanos())
                .reason();
    }

    /** Moves the figures of a guard: so many answers that take a while. */
    private void answers(Guard guard, int count, Duration span) {
        run(guard, count, span, false);
    }

    /** Moves the figures of a guard: so many failures. */
    private void fails(Guard guard, int count) {
        run(guard, count, Duration.ZERO, true);
    }

    /** Moves the figures of a guard: so many calls that take longer than the limit. */
    private void timesOut(Guard guard, int count) {
        run(guard, count, STAGE_TIMEOUT.plusNanos(1), true);
    }

    private void run(Guard guard, int count, Duration span, boolean failing) {
        Stage<String, String, String> caller = Stage.primary(
                settings(Source.PRIMARY, EntrySettings.byDefault(Source.PRIMARY), guard),
                guard,
                (command, context) -> {
                    ticker.advance(span);
                    if (failing) {
                        throw new IOException("down");
                    }
                    return "live";
                },
                false,
                List.of(),
                null,
                ticker);
        for (int call = 0; call < count; call++) {
            StageCalls.first(
                    caller,
                    "command",
                    ticker.nanos(),
                    ticker.nanos() + Duration.ofHours(1).toNanos());
        }
    }

    // ---- triggers ----

    private static final Set<Trigger> ALL =
            EnumSet.of(FAILURE, TIMEOUT, THREAD_POOL_REJECTED, SEMAPHORE_REJECTED, SHORT_CIRCUITED, OVERLOADED);

    @ParameterizedTest
    @EnumSource(
            value = Trigger.class,
            names = {"FAILURE", "TIMEOUT", "THREAD_POOL_REJECTED", "SEMAPHORE_REJECTED", "SHORT_CIRCUITED", "OVERLOADED"
            })
    void copies_are_asked_for_every_trigger_and_a_spare_only_where_it_adds_no_load(Trigger trigger) {
        boolean spared = trigger == FAILURE || trigger == TIMEOUT;

        assertThat(enter(byDefault(Source.SPARE), trigger))
                .isEqualTo(spared ? StageReason.ANSWER : StageReason.NOT_FOR_TRIGGER);
        assertThat(enter(byDefault(Source.CACHE), trigger)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(byDefault(Source.STATIC), trigger)).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void naming_triggers_replaces_the_default_ones() {
        Stage<String, ?, String> stage = spare(entry(EnumSet.of(SHORT_CIRCUITED), false), sparesGuard);

        for (Trigger trigger : ALL) {
            assertThat(enter(stage, trigger))
                    .as("%s", trigger)
                    .isEqualTo(trigger == SHORT_CIRCUITED ? StageReason.ANSWER : StageReason.NOT_FOR_TRIGGER);
        }
    }

    // ---- failures ----

    @Test
    void a_rule_on_failures_chooses_among_them() {
        List<Throwable> asked = new ArrayList<>();
        Stage<String, ?, String> refuses = spare(entry(ALL, false), sparesGuard, failure -> {
            asked.add(failure);
            return false;
        });
        Stage<String, ?, String> takes = spare(entry(ALL, false), sparesGuard, IOException.class::isInstance);

        assertThat(enter(refuses, FAILURE)).isEqualTo(StageReason.NOT_FOR_FAILURE);
        assertThat(asked).containsExactly(cause);
        assertThat(enter(takes, FAILURE)).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void a_rule_on_failures_is_asked_of_no_other_trigger() {
        Stage<String, ?, String> stage = spare(entry(ALL, false), sparesGuard, failure -> {
            throw new AssertionError("must not be asked");
        });

        for (Trigger trigger : ALL) {
            if (trigger != FAILURE) {
                assertThat(enter(stage, trigger)).as("%s", trigger).isEqualTo(StageReason.ANSWER);
            }
        }
        assertThat(sparesGuard.meter().mistakes()).isZero();
    }

    @Test
    void a_rule_on_failures_that_throws_matches_and_is_counted_once() {
        Stage<String, ?, String> stage = spare(entry(ALL, false), sparesGuard, failure -> {
            throw new IllegalStateException("a mistake in the rule");
        });

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(sparesGuard.meter().mistakes()).isEqualTo(1);
    }

    // ---- time ----

    @Test
    void without_time_a_guarded_stage_is_skipped_and_memory_is_still_read() {
        for (Duration left : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofHours(-1))) {
            assertThat(enter(byDefault(Source.SPARE), FAILURE, left)).isEqualTo(StageReason.NO_TIME_LEFT);
            assertThat(enter(byDefault(Source.CACHE), FAILURE, left)).isEqualTo(StageReason.ANSWER);
            assertThat(enter(byDefault(Source.STATIC), FAILURE, left)).isEqualTo(StageReason.ANSWER);
        }
        assertThat(enter(byDefault(Source.SPARE), FAILURE, Duration.ofNanos(1))).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void a_stage_that_is_not_for_the_trigger_says_so_also_without_time() {
        assertThat(enter(byDefault(Source.SPARE), OVERLOADED, Duration.ZERO)).isEqualTo(StageReason.NOT_FOR_TRIGGER);
    }

    @Test
    void the_first_stage_of_a_run_has_no_rule_but_time() {
        Stage<String, String, String> first = Stage.primary(
                settings(Source.PRIMARY, entry(EnumSet.of(OVERLOADED), true), primary),
                primary,
                (command, context) -> "live",
                false,
                List.of(),
                null,
                ticker);
        long now = ticker.nanos();

        assertThat(StageCalls.first(first, "command", now, now + 1).reason()).isEqualTo(StageReason.ANSWER);
        assertThat(StageCalls.first(first, "command", now, now).reason()).isEqualTo(StageReason.NO_TIME_LEFT);
        assertThat(primary.meter().ended(StageReason.NO_TIME_LEFT)).isZero();
    }

    // ---- health, after a timeout of the primary ----

    @ParameterizedTest
    @CsvSource({
        "18, 2, ANSWER", // 90 %
        "17, 3, UNHEALTHY",
        "17, 2, ANSWER", // 19 samples are not enough
        "0, 19, ANSWER",
        "0, 20, UNHEALTHY",
        "100, 11, ANSWER", // 90.1 %
        "100, 12, UNHEALTHY",
    })
    void a_spare_that_fails_too_often_is_not_healthy(int answered, int failed, StageReason reason) {
        answers(sparesGuard, answered, Duration.ofMillis(1));
        fails(sparesGuard, failed);

        assertThat(enter(byDefault(Source.SPARE), TIMEOUT)).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "20, 100, 250, ANSWER", // the spare's own limit
        "20, 101, 250, UNHEALTHY",
        "19, 101, 250, ANSWER",
        "20, 60, 60, ANSWER", // what is left of the budget
        "20, 61, 60, UNHEALTHY",
        "19, 61, 60, ANSWER",
    })
    void a_spare_that_would_not_answer_in_time_is_not_healthy(
            int answered, int meanMillis, int leftMillis, StageReason reason) {
        answers(sparesGuard, answered, Duration.ofMillis(meanMillis));

        assertThat(enter(byDefault(Source.SPARE), TIMEOUT, Duration.ofMillis(leftMillis)))
                .isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "11, 9, ANSWER",
        "10, 10, UNHEALTHY",
        "0, 19, ANSWER",
        "0, 20, UNHEALTHY",
        "51, 49, ANSWER",
    })
    void a_spare_would_be_flooded_when_half_of_the_primarys_calls_time_out(
            int answered, int timedOut, StageReason reason) {
        answers(primary, answered, Duration.ofMillis(1));
        timesOut(primary, timedOut);

        assertThat(enter(byDefault(Source.SPARE), TIMEOUT)).isEqualTo(reason);
    }

    @Test
    void health_is_judged_by_the_last_ten_seconds() {
        fails(sparesGuard, 20);
        assertThat(enter(byDefault(Source.SPARE), TIMEOUT)).isEqualTo(StageReason.UNHEALTHY);

        ticker.advance(Duration.ofSeconds(10));

        assertThat(enter(byDefault(Source.SPARE), TIMEOUT)).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void after_a_failure_nobody_asks_for_health() {
        fails(sparesGuard, 100);
        timesOut(primary, 50);

        assertThat(enter(byDefault(Source.SPARE), FAILURE)).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void naming_the_timeout_gives_the_question_of_health_up() {
        fails(sparesGuard, 100);

        assertThat(enter(spare(entry(EnumSet.of(TIMEOUT), false), sparesGuard), TIMEOUT))
                .isEqualTo(StageReason.ANSWER);
    }

    @Test
    void a_spare_behind_an_open_breaker_is_not_healthy() {
        Guard guard = guard(OPENS_AT_ONCE);
        fails(guard, 1);

        assertThat(enter(spare(EntrySettings.byDefault(Source.SPARE), guard), TIMEOUT))
                .isEqualTo(StageReason.UNHEALTHY);
        assertThat(enter(spare(EntrySettings.byDefault(Source.SPARE), guard), FAILURE))
                .isEqualTo(StageReason.SHORT_CIRCUITED);
    }

    @Test
    void a_spare_that_is_due_for_a_probe_gets_it_whatever_its_figures() {
        Guard guard = guard(new BreakerSettings(
                true, 20, 50, Duration.ofSeconds(10), 10, Duration.ofSeconds(5), Duration.ofSeconds(5), 2, 100));
        Stage<String, ?, String> stage = spare(EntrySettings.byDefault(Source.SPARE), guard);
        fails(guard, 20);
        assertThat(enter(stage, TIMEOUT)).isEqualTo(StageReason.UNHEALTHY);

        ticker.advance(Duration.ofSeconds(5));

        assertThat(guard.meter().recent(ticker.nanos()).measured()).isEqualTo(20);
        assertThat(enter(stage, TIMEOUT)).as("open, and due").isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, TIMEOUT)).as("half-open").isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, TIMEOUT))
                .as("closed again, with the old figures")
                .isEqualTo(StageReason.UNHEALTHY);
    }

    // ---- bounds ----

    @Test
    void no_more_runs_than_the_bound_are_in_a_stage_at_once() {
        EntrySettings one = new EntrySettings(ALL, false, 1, 0, false);
        List<StageReason> inside = new ArrayList<>();
        List<Stage<String, ?, String>> self = new ArrayList<>();
        self.add(Stage.spare(
                settings(Source.SPARE, one, sparesGuard),
                sparesGuard,
                (command, context) -> {
                    inside.add(enter(self.get(0), FAILURE)); // while this run is in it
                    return "spare";
                },
                null,
                ticker));

        assertThat(enter(self.get(0), FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(self.get(0), FAILURE)).isEqualTo(StageReason.ANSWER);

        assertThat(inside).containsExactly(StageReason.AT_MOST, StageReason.AT_MOST);
        assertThat(sparesGuard.meter().ended(StageReason.AT_MOST)).isZero();
        assertThat(self.get(0).ended(StageReason.AT_MOST)).isEqualTo(2);
    }

    @Test
    void the_bound_is_given_back_by_a_run_that_fails_or_is_refused() {
        EntrySettings one = new EntrySettings(ALL, false, 1, 0, false);
        Guard guard = guard(OPENS_AT_ONCE);
        Stage<String, ?, String> stage = Stage.spare(
                settings(Source.SPARE, one, guard),
                guard,
                (command, context) -> {
                    throw new IOException("down");
                },
                null,
                ticker);

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.EXCEPTION);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.SHORT_CIRCUITED);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.SHORT_CIRCUITED);
    }

    @Test
    void a_run_that_is_not_admitted_takes_no_place_in_the_bound() {
        EntrySettings one = new EntrySettings(EnumSet.of(TIMEOUT), false, 1, 0, false);
        Stage<String, ?, String> stage = spare(one, sparesGuard);

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.NOT_FOR_TRIGGER);
        assertThat(enter(stage, TIMEOUT, Duration.ZERO)).isEqualTo(StageReason.NO_TIME_LEFT);
        assertThat(enter(stage, TIMEOUT)).isEqualTo(StageReason.ANSWER);
    }

    @Test
    void the_quota_bounds_the_runs_of_a_second() {
        Stage<String, ?, String> stage = spare(new EntrySettings(ALL, false, 0, 2, false), sparesGuard);

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.QUOTA);
        assertThat(sparesGuard.meter().ended(StageReason.QUOTA)).isZero();

        ticker.advance(Duration.ofMillis(500));
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.QUOTA);
    }

    @Test
    void a_run_that_the_guard_refuses_gets_its_quota_back() {
        Stage<String, ?, String> stage = spare(new EntrySettings(ALL, false, 0, 1, false), sparesGuard);
        sparesGuard.bulkhead().tryEnter();
        sparesGuard.bulkhead().tryEnter();

        for (int call = 0; call < 10; call++) {
            assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.SEMAPHORE_FULL);
        }
        sparesGuard.bulkhead().exit();

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.ANSWER);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.QUOTA);
    }

    @Test
    void a_run_whose_body_fails_has_used_its_quota() {
        Stage<String, ?, String> stage = Stage.spare(
                settings(Source.SPARE, new EntrySettings(ALL, false, 0, 1, false), sparesGuard),
                sparesGuard,
                (command, context) -> {
                    throw new IOException("down");
                },
                null,
                ticker);

        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.EXCEPTION);
        assertThat(enter(stage, FAILURE)).isEqualTo(StageReason.QUOTA);
    }

    // ---- figures of the chain ----

    @Test
    void a_stage_counts_every_run_that_reached_it() {
        Stage<String, ?, String> stage = spare(entry(EnumSet.of(FAILURE), false), sparesGuard);

        enter(stage, FAILURE);
        enter(stage, FAILURE);
        enter(stage, TIMEOUT);
        enter(stage, FAILURE, Duration.ZERO);

        assertThat(stage.reached()).isEqualTo(4);
        assertThat(stage.ended(StageReason.ANSWER)).isEqualTo(2);
        assertThat(stage.ended(StageReason.NOT_FOR_TRIGGER)).isEqualTo(1);
        assertThat(stage.ended(StageReason.NO_TIME_LEFT)).isEqualTo(1);
        assertThat(sparesGuard.meter().ended(StageReason.ANSWER)).isEqualTo(2);
    }
}
