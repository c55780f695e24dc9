package io.degradable.internal.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.LocalCache;
import io.degradable.cache.Timestamped;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.guard.Guard;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.Level;
import io.degradable.model.NoAnswerException;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageTimeoutException;
import io.degradable.model.Trigger;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.StageSettings;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the four kinds of body yield, keep and say. */
@Timeout(20)
final class StageBodyTest {

    private static final CommandKey KEY = new CommandKey("GetProduct", "catalog");
    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final Duration WINDOW = Duration.ofSeconds(60);

    private final ManualTicker ticker = new ManualTicker();
    private final LocalCache<String, String> cache = new LocalCache<>(CacheSpec.named("copies"), ticker);
    private final Guard inline =
            new Guard(GuardSettings.INLINE, InlineBulkhead.INSTANCE, FailureRules.DEFAULT, ticker, Runnable::run);
    private final Guard onCaller = new Guard(
            new GuardSettings(new BulkheadSettings.Semaphore(1), TIMEOUT, true, TIMEOUT, BreakerSettings.DEFAULT),
            new SemaphoreBulkhead(1),
            FailureRules.DEFAULT,
            ticker,
            Runnable::run);
    private final FallbackContext context =
            new FallbackContext(KEY, Trigger.FAILURE, new IOException("down"), Duration.ZERO, Level.NORMAL, 7);

    private static StageSettings settings(Source kind, Guard guard, boolean allowNull) {
        EntrySettings entry = new EntrySettings(EnumSet.of(Trigger.FAILURE), false, 0, 0, allowNull);
        return new StageSettings(kind.tag(), kind, "behind", WINDOW, entry, guard.settings());
    }

    private Stage<String, String, String> primary(
            Guard guard,
            boolean nullIsFailure,
            LiveCall<String, String> run,
            List<Memory<String, ?, String>> memories) {
        return Stage.primary(settings(Source.PRIMARY, guard, false), guard, run, nullIsFailure, memories, null, ticker);
    }

    private Stage<String, ?, String> cached(Function<String, String> key) {
        return Stage.cached(settings(Source.CACHE, inline, false), inline, cache::read, cache, key, null, ticker);
    }

    private Step<String, ?, String> first(Stage<String, ?, String> stage) {
        return StageCalls.first(
                stage,
                "p1",
                ticker.nanos(),
                ticker.nanos() + Duration.ofHours(1).toNanos());
    }

    private Step<String, ?, String> next(Stage<String, ?, String> stage) {
        long now = ticker.nanos();
        return StageCalls.next(stage, "p1", context, onCaller.meter(), now, now + WINDOW.toNanos());
    }

    private List<Memory<String, ?, String>> remembering() {
        return List.of(new Memory<>(cache, command -> command));
    }

    // ---- primary ----

    @Test
    void null_from_the_primary_is_an_answer_unless_it_is_said_to_be_a_failure() {
        Step<String, ?, String> answer = first(primary(onCaller, false, (command, none) -> null, List.of()));
        Step<String, ?, String> failure = first(primary(onCaller, true, (command, none) -> null, List.of()));

        assertThat(answer.reason()).isEqualTo(StageReason.ANSWER);
        assertThat(answer.answer()).isNull();
        assertThat(failure.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(failure.cause(KEY))
                .isInstanceOf(NoAnswerException.class)
                .hasMessage("GetProduct: primary gave no answer: null answer");
    }

    @Test
    void a_good_primary_answer_is_kept_with_the_moment_its_body_started() {
        Stage<String, ?, String> primary = primary(
                onCaller,
                false,
                (command, none) -> {
                    ticker.advance(Duration.ofMillis(40));
                    return "live " + command;
                },
                remembering());

        Step<String, ?, String> step = first(primary);

        assertThat(step.answer()).isEqualTo("live p1");
        assertThat(step.ageNanos()).isZero();
        assertThat(cache.read("p1", WINDOW).value()).isEqualTo("live p1");
        assertThat(cache.read("p1", WINDOW).ageNanos())
                .isEqualTo(Duration.ofMillis(40).toNanos());
    }

    @Test
    void neither_null_nor_a_failure_is_kept() {
        cache.put("p1", new Timestamped<>("older", ticker.nanos()));

        first(primary(onCaller, false, (command, none) -> null, remembering()));
        first(primary(
                onCaller,
                false,
                (command, none) -> {
                    throw new IOException("down");
                },
                remembering()));

        assertThat(cache.read("p1", WINDOW).value()).isEqualTo("older");
    }

    @Test
    void a_key_that_throws_on_writing_means_no_copy_and_is_counted_once() {
        Stage<String, ?, String> primary =
                primary(onCaller, false, (command, none) -> "live", List.of(new Memory<>(cache, command -> {
                    throw new IllegalStateException("a mistake in the key");
                })));

        Step<String, ?, String> step = first(primary);

        assertThat(step.answer()).isEqualTo("live");
        assertThat(onCaller.meter().mistakes()).isEqualTo(1);
        assertThat(cache.size()).isZero();
    }

    @Test
    void a_late_answer_is_kept_as_well() throws InterruptedException {
        BulkheadSettings.ThreadPool one = new BulkheadSettings.ThreadPool("one", 1, 0);
        ThreadPoolBulkhead pool = new ThreadPoolBulkhead(one);
        Guard guard = new Guard(
                new GuardSettings(one, TIMEOUT, false, TIMEOUT, BreakerSettings.DEFAULT),
                pool,
                FailureRules.DEFAULT,
                ticker,
                Runnable::run);
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<Boolean> started = new CompletableFuture<>();
        Stage<String, ?, String> primary = primary(
                guard,
                false,
                (command, none) -> {
                    started.complete(true);
                    return Caller.valueOf(answer);
                },
                remembering());
        Caller<Step<String, ?, String>> caller = Caller.calls(() -> first(primary));
        ticker.untilWaiting(1);
        Caller.valueOf(started);
        CompletableFuture<Boolean> free = new CompletableFuture<>();

        ticker.advance(TIMEOUT);
        assertThat(caller.result().reason()).isEqualTo(StageReason.TIMEOUT);
        answer.complete("late");
        pool.start(() -> free.complete(true));
        Caller.valueOf(free);

        assertThat(cache.read("p1", WINDOW).value()).isEqualTo("late");
        assertThat(caller.result().cause(KEY))
                .isInstanceOf(StageTimeoutException.class)
                .hasMessageStartingWith("GetProduct: primary timed out (timeout) after 100 ms")
                .satisfies(timeout -> assertThat(timeout.getStackTrace()).isEmpty());
        pool.cancelAll(Runnable::run);
    }

    // ---- spare ----

    @Test
    void null_from_a_spare_is_a_miss_unless_it_is_allowed() {
        LiveCall<String, String> nothing = (command, given) -> null;

        Step<String, ?, String> miss =
                next(Stage.spare(settings(Source.SPARE, onCaller, false), onCaller, nothing, null, ticker));
        Step<String, ?, String> answer =
                next(Stage.spare(settings(Source.SPARE, onCaller, true), onCaller, nothing, null, ticker));

        assertThat(miss.reason()).isEqualTo(StageReason.NULL_ANSWER);
        assertThat(answer.reason()).isEqualTo(StageReason.ANSWER);
        assertThat(answer.answer()).isNull();
    }

    @Test
    void a_spare_gets_command_and_context_and_answers_without_an_age() {
        Step<String, ?, String> step = next(Stage.spare(
                settings(Source.SPARE, onCaller, false),
                onCaller,
                (command, given) -> command + " " + (given == context),
                null,
                ticker));

        assertThat(step.answer()).isEqualTo("p1 true");
        assertThat(step.ageNanos()).isZero();
        assertThat(step.kind()).isEqualTo(Source.SPARE);
    }

    // ---- cache ----

    @Test
    void a_cache_tells_its_misses_apart() {
        Stage<String, ?, String> stage = cached(command -> command);

        assertThat(next(stage).reason()).isEqualTo(StageReason.ABSENT);
        cache.put("p1", new Timestamped<>("copy", ticker.nanos() + 1));
        assertThat(next(stage).reason()).isEqualTo(StageReason.FROM_THE_FUTURE);
        ticker.advance(Duration.ofNanos(1));
        assertThat(next(stage).reason()).isEqualTo(StageReason.ANSWER);
        ticker.advance(WINDOW.plusNanos(1));
        assertThat(next(stage).reason()).isEqualTo(StageReason.TOO_OLD);
    }

    @Test
    void a_copy_is_served_with_its_age() {
        cache.put("p1", new Timestamped<>("copy", ticker.nanos()));
        ticker.advance(Duration.ofSeconds(41));

        Step<String, ?, String> step = next(cached(command -> command));

        assertThat(step.answer()).isEqualTo("copy");
        assertThat(step.ageNanos()).isEqualTo(Duration.ofSeconds(41).toNanos());
    }

    @Test
    void a_key_that_throws_on_reading_fails_the_stage() {
        IllegalStateException mistake = new IllegalStateException("a mistake in the key");

        Step<String, ?, String> step = next(cached(command -> {
            throw mistake;
        }));

        assertThat(step.reason()).isEqualTo(StageReason.EXCEPTION);
        assertThat(step.cause(KEY)).isSameAs(mistake);
    }

    // ---- template ----

    @Test
    void a_template_has_no_age_and_null_is_no_template() {
        Stage<String, ?, String> filled = Stage.template(
                settings(Source.STATIC, inline, false), inline, command -> "template of " + command, null, ticker);
        Stage<String, ?, String> empty =
                Stage.template(settings(Source.STATIC, inline, false), inline, command -> null, null, ticker);

        assertThat(next(filled).answer()).isEqualTo("template of p1");
        assertThat(next(filled).ageNanos()).isEqualTo(CommandResult.AGELESS);
        assertThat(next(empty).reason()).isEqualTo(StageReason.NULL_ANSWER);
    }
}
