package io.degradable.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every refusal names the field and the value. */
final class SettingsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static BreakerSettings breaker(
            int volume,
            int errors,
            Duration window,
            int buckets,
            Duration sleep,
            Duration longest,
            int probes,
            int good) {
        return new BreakerSettings(true, volume, errors, window, buckets, sleep, longest, probes, good);
    }

    private static GuardSettings guard(Duration timeout, Duration slowCall, BreakerSettings breaker) {
        return new GuardSettings(new BulkheadSettings.Semaphore(1), timeout, true, slowCall, breaker);
    }

    private static EntrySettings entry(int atMost, double quota) {
        return new EntrySettings(EnumSet.of(Trigger.FAILURE), false, atMost, quota, false);
    }

    private static CommandSettings command(String name, String group, Duration deadline, Duration budget) {
        return new CommandSettings(
                new CommandKey(name, group),
                Criticality.CORE,
                Effect.READ,
                GuardSettings.INLINE,
                RetrySettings.NONE,
                deadline,
                false,
                0,
                budget,
                List.of(),
                null);
    }

    private static Arguments refused(String message, ThrowingCallable settings) {
        return arguments(message, settings);
    }

    static Stream<Arguments> refusals() {
        Duration tenSeconds = Duration.ofSeconds(10);
        Duration zero = Duration.ZERO;
        String names = " must be 1 to 120 characters out of letters, digits and . _ - /, was ";
        return Stream.of(
                refused(
                        "circuitBreaker.requestVolumeThreshold must be positive, was 0",
                        () -> breaker(0, 50, tenSeconds, 10, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.requestVolumeThreshold must be positive, was -20",
                        () -> breaker(-20, 50, tenSeconds, 10, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.errorThresholdPercentage must be a percentage from 1 to 100, was 0",
                        () -> breaker(20, 0, tenSeconds, 10, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.errorThresholdPercentage must be a percentage from 1 to 100, was 101",
                        () -> breaker(20, 101, tenSeconds, 10, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.window must be positive, was 0 ms",
                        () -> breaker(20, 50, zero, 10, SECOND, SECOND, 5, 80)),
                refused( // B34
                        "circuitBreaker.buckets must be at least 2, was 1",
                        () -> breaker(20, 50, tenSeconds, 1, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.buckets must be at least 2, was 0",
                        () -> breaker(20, 50, tenSeconds, 0, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.window of 10000 ms does not divide into 7 buckets",
                        () -> breaker(20, 50, tenSeconds, 7, SECOND, SECOND, 5, 80)),
                refused(
                        "circuitBreaker.sleepWindow must be positive, was -1 ns",
                        () -> breaker(20, 50, tenSeconds, 10, Duration.ofNanos(-1), SECOND, 5, 80)),
                refused(
                        "circuitBreaker.maxSleepWindow of 999 ms is below the sleepWindow of 1000 ms",
                        () -> breaker(20, 50, tenSeconds, 10, SECOND, Duration.ofMillis(999), 5, 80)),
                refused(
                        "circuitBreaker.probes must be positive, was 0",
                        () -> breaker(20, 50, tenSeconds, 10, SECOND, SECOND, 0, 80)),
                refused(
                        "circuitBreaker.probeSuccessPercentage must be a percentage from 1 to 100, was 0",
                        () -> breaker(20, 50, tenSeconds, 10, SECOND, SECOND, 5, 0)),
                refused(
                        "circuitBreaker.probeSuccessPercentage must be a percentage from 1 to 100, was 101",
                        () -> breaker(20, 50, tenSeconds, 10, SECOND, SECOND, 5, 101)),
                refused("timeout must be positive, was 0 ms", () -> guard(zero, SECOND, BreakerSettings.DISABLED)),
                refused(
                        "slowCall must be positive, was -1000 ms",
                        () -> guard(SECOND, SECOND.negated(), BreakerSettings.DISABLED)),
                refused( // B15
                        "circuitBreaker.window of 10000 ms is shorter than the timeout of 10001 ms",
                        () -> guard(Duration.ofMillis(10_001), SECOND, BreakerSettings.DEFAULT)),
                refused(
                        "threadPool.name" + names + "\"two words\"",
                        () -> new BulkheadSettings.ThreadPool("two words", 1, 0)),
                refused("threadPool.size must be positive, was 0", () -> new BulkheadSettings.ThreadPool("pool", 0, 0)),
                refused(
                        "threadPool.queue must not be negative, was -1",
                        () -> new BulkheadSettings.ThreadPool("pool", 1, -1)),
                refused("semaphore.limit must be positive, was 0", () -> new BulkheadSettings.Semaphore(0)),
                refused(
                        "on must not contain NONE: a call without a trigger has no chain",
                        () -> new EntrySettings(EnumSet.of(Trigger.FAILURE, Trigger.NONE), false, 0, 0, false)),
                refused("atMost must not be negative, was -1", () -> entry(-1, 0)),
                refused(
                        "quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was -0.5",
                        () -> entry(0, -0.5)),
                refused(
                        "quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was 2.0E9",
                        () -> entry(0, 2e9)),
                refused(
                        "quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was NaN",
                        () -> entry(0, Double.NaN)),
                refused(
                        "quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was Infinity",
                        () -> entry(0, Double.POSITIVE_INFINITY)),
                refused(
                        "stage name" + names + "\"a:b\"",
                        () -> StageSettings.of(
                                "a:b",
                                Source.CACHE,
                                "cache",
                                EntrySettings.byDefault(Source.CACHE),
                                GuardSettings.INLINE)),
                refused(
                        "freshness of copies must be positive, was 0 ms",
                        () -> new StageSettings(
                                "cache",
                                Source.CACHE,
                                "copies",
                                zero,
                                EntrySettings.byDefault(Source.CACHE),
                                GuardSettings.INLINE)),
                refused("command name" + names + "\"\"", () -> command("", "group", SECOND, SECOND)),
                refused("group" + names + "\"gr{o}up\"", () -> command("name", "gr{o}up", SECOND, SECOND)),
                refused("deadline must be positive, was 0 ms", () -> command("name", "group", zero, SECOND)),
                refused(
                        "budget of the chain (within) must be positive, was -1 ns",
                        () -> command("name", "group", SECOND, Duration.ofNanos(-1))));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void a_refusal_names_the_field_and_the_value(String message, ThrowingCallable settings) {
        assertThatThrownBy(settings)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void the_least_and_the_most_of_each_field_is_taken() {
        BreakerSettings smallest =
                breaker(1, 1, Duration.ofNanos(2), 2, Duration.ofNanos(1), Duration.ofNanos(1), 1, 1);
        BreakerSettings largest = breaker(
                Integer.MAX_VALUE,
                100,
                Duration.ofDays(1),
                86_400,
                SECOND,
                Duration.ofNanos(Long.MAX_VALUE),
                Integer.MAX_VALUE,
                100);

        assertThat(smallest.neededProbes()).isEqualTo(1);
        assertThat(largest.neededProbes()).isEqualTo(Integer.MAX_VALUE);
        assertThat(guard(Duration.ofSeconds(10), SECOND, BreakerSettings.DEFAULT)
                        .timeout())
                .isEqualTo(BreakerSettings.DEFAULT.window());
        assertThat(guard(GuardSettings.NO_TIMEOUT, SECOND, BreakerSettings.DEFAULT)
                        .timeout())
                .isEqualTo(GuardSettings.NO_TIMEOUT);
        assertThat(guard(Duration.ofMinutes(1), SECOND, BreakerSettings.DISABLED)
                        .timeout())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(entry(0, 1e9).quotaPerSecond()).isEqualTo(1e9);
        assertThat(new BulkheadSettings.ThreadPool("p", 1, 0).queue()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"5, 80, 4", "5, 81, 5", "5, 1, 1", "1, 80, 1", "10, 80, 8", "3, 50, 2", "7, 100, 7", "100, 99, 99"})
    void as_many_probes_are_needed_as_the_percentage_rounded_up(int probes, int percentage, int needed) {
        assertThat(breaker(20, 50, Duration.ofSeconds(10), 10, SECOND, SECOND, probes, percentage)
                        .neededProbes())
                .isEqualTo(needed);
    }

    @Test
    void the_defaults_are_the_decided_ones() {
        BreakerSettings breaker = BreakerSettings.DEFAULT;

        assertThat(breaker)
                .isEqualTo(new BreakerSettings(
                        true,
                        20,
                        50,
                        0,
                        0,
                        0,
                        Duration.ofSeconds(10),
                        10,
                        0,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(30),
                        5,
                        80,
                        List.of(10, 25, 50),
                        20));
        assertThat(breaker.neededProbes()).isEqualTo(4);
        assertThat(BreakerSettings.DISABLED.enabled()).isFalse();
        assertThat(CommandSettings.DEFAULT_TIMEOUT).isEqualTo(Duration.ofSeconds(1));
        assertThat(CommandSettings.DEFAULT_BUDGET).isEqualTo(Duration.ofMillis(250));
        assertThat(BulkheadSettings.ThreadPool.DEFAULT_SIZE).isEqualTo(10);
        assertThat(BulkheadSettings.ThreadPool.DEFAULT_QUEUE).isZero();
        assertThat(BulkheadSettings.Semaphore.DEFAULT_LIMIT).isEqualTo(10);
    }

    @Test
    void only_a_pool_lets_its_caller_leave() {
        GuardSettings pooled = new GuardSettings(
                new BulkheadSettings.ThreadPool("pool", 1, 0), SECOND, true, SECOND, BreakerSettings.DEFAULT);

        assertThat(pooled.runsOnCaller()).isFalse();
        assertThat(guard(SECOND, SECOND, BreakerSettings.DEFAULT).runsOnCaller())
                .isTrue();
        assertThat(GuardSettings.INLINE.runsOnCaller()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "GetProduct", "shop/v2.get_product-1", "0"})
    void a_name_may_have_letters_digits_and_four_signs(String name) {
        assertThat(Require.name("name", name)).isEqualTo(name);
        assertThat(Require.name("name", "x".repeat(120))).hasSize(120);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a:b", "ä", "a\n", "a\"b", "<b>", "a,b", "a=b", "$"})
    void a_name_may_have_no_other_sign(String name) {
        assertThatThrownBy(() -> Require.name("field", name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("field must be 1 to 120 characters")
                .hasMessageEndingWith("was \"" + name + "\"");
    }

    @Test
    void a_name_has_no_more_than_120_characters() {
        assertThatThrownBy(() -> Require.name("field", "x".repeat(121)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("was \"" + "x".repeat(121) + "\"");
    }

    @Test
    void a_span_is_written_as_people_write_it() {
        assertThat(Require.text(Duration.ofMillis(250))).isEqualTo("250 ms");
        assertThat(Require.text(Duration.ofNanos(1_500_001))).isEqualTo("1500001 ns");
        assertThat(Require.text(GuardSettings.NO_TIMEOUT)).isEqualTo("no limit");
    }

    @Test
    void settings_keep_no_collection_of_their_maker() {
        Set<Trigger> on = EnumSet.of(Trigger.FAILURE);
        EntrySettings entry = new EntrySettings(on, false, 0, 0, false);
        List<StageSettings> stages = new ArrayList<>();
        CommandSettings command = new CommandSettings(
                new CommandKey("name", "group"),
                Criticality.CORE,
                Effect.READ,
                GuardSettings.INLINE,
                RetrySettings.NONE,
                SECOND,
                false,
                0,
                SECOND,
                stages,
                null);

        on.add(Trigger.TIMEOUT);
        stages.add(StageSettings.of("cache", Source.CACHE, "cache", entry, GuardSettings.INLINE));

        assertThat(entry.on()).containsExactly(Trigger.FAILURE);
        assertThat(command.stages()).isEmpty();
        assertThatThrownBy(() -> entry.on().add(Trigger.TIMEOUT)).isInstanceOf(UnsupportedOperationException.class);
    }
}
