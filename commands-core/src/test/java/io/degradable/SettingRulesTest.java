package io.degradable;

import static io.degradable.SettingsBench.ALL;
import static io.degradable.SettingsBench.HYSTRIX;
import static io.degradable.SettingsBench.OURS;
import static io.degradable.SettingsBench.everything;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.EffectiveSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.SettingResolver;
import io.degradable.settings.StageSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** B41: who says what a setting is, what must fit together, and what happens to what does not. */
final class SettingRulesTest {

    private static final String POOL = "degradable.pool.test.";
    private static final String POOLS = "degradable.pool.default.";
    private static final String HYSTRIX_POOL = "hystrix.threadpool.test.";
    private static final String HYSTRIX_POOLS = "hystrix.threadpool.default.";

    private static SettingsBench plain() {
        return new SettingsBench(Call.declared().build());
    }

    private static SettingsBench full() {
        return new SettingsBench(everything().build());
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3}, code {4}: {5} {6}")
    @CsvSource({
        // name, Hystrix name, for all, Hystrix for all, code; value, from
        "150 ms, 200,    300 ms, 400,    500, 150 ms, PROPERTY",
        "      , 200,    300 ms, 400,    500, 200 ms, PROPERTY",
        "      ,    ,    300 ms, 400,    500, 500 ms, CODE",
        "      ,    ,    300 ms, 400,       , 300 ms, DEFAULT_PROPERTY",
        "      ,    ,          , 400,       , 400 ms, DEFAULT_PROPERTY",
        "      ,    ,          ,    ,       , 1 s,    BUILT_IN",
        "ten   , 200,    300 ms, 400,    500, 200 ms, PROPERTY",
        "      , ten,    300 ms, 400,       , 300 ms, DEFAULT_PROPERTY",
        "      ,    ,    -5    , 400,       , 400 ms, DEFAULT_PROPERTY",
    })
    void the_name_comes_before_the_code_and_that_before_what_is_for_all(
            String own, String hystrix, String all, String hystrixAll, Integer code, String value, String from) {
        CommandSpec.Builder<Call, String> spec = Call.declared();
        if (code != null) {
            spec.timeout(Duration.ofMillis(code));
        }
        SettingsBench bench = new SettingsBench(spec.build());
        String timeout = "execution.isolation.thread.timeoutInMilliseconds";
        set(bench, OURS + "timeout", own);
        set(bench, HYSTRIX + timeout, hystrix);
        set(bench, ALL + "timeout", all);
        set(bench, "hystrix.command.default." + timeout, hystrixAll);

        assertThat(bench.value("timeout")).isEqualTo(value);
        assertThat(bench.from("timeout")).isEqualTo(from);
    }

    private static void set(SettingsBench bench, String property, String text) {
        if (text != null) {
            bench.with(property, text);
        }
    }

    @ParameterizedTest(name = "own {0} {1}, all {2} {3}: {4}")
    @CsvSource({
        "false, 200,      ,    , none",
        "true,  200, false,    , 200 ms",
        "     , 200, false,    , none",
        "     ,    , false, 300, none",
        "true,     , false, 300, 300 ms",
        "true,     , false,    , 1 s",
    })
    void a_timeout_of_hystrix_is_none_when_it_is_not_enabled(
            String enabled, String millis, String allEnabled, String allMillis, String value) {
        SettingsBench bench = plain();
        set(bench, HYSTRIX + "execution.timeout.enabled", enabled);
        set(bench, HYSTRIX + "execution.isolation.thread.timeoutInMilliseconds", millis);
        set(bench, "hystrix.command.default.execution.timeout.enabled", allEnabled);
        set(bench, "hystrix.command.default.execution.isolation.thread.timeoutInMilliseconds", allMillis);

        assertThat(bench.value("timeout")).isEqualTo(value);
        assertThat(bench.problems()).isEmpty();
    }

    @ParameterizedTest(name = "{0} code {1}: size {2}, queue {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                "coreSize=20                                                            |    | 20 | 0",
                "coreSize=20 maximumSize=40                                             |    | 20 | 0",
                "coreSize=20 maximumSize=40 allowMaximumSizeToDivergeFromCoreSize=true  |    | 40 | 0",
                "coreSize=20 maximumSize=15 allowMaximumSizeToDivergeFromCoreSize=true  |    | 20 | 0",
                "maximumSize=15 allowMaximumSizeToDivergeFromCoreSize=true              |    | 15 | 0",
                "maximumSize=15 allowMaximumSizeToDivergeFromCoreSize=true              | 30 | 30 | 30",
                "maxQueueSize=-1                                                        | 30 | 30 | 0",
                "maxQueueSize=100                                                       |    | 10 | 5",
                "maxQueueSize=100 queueSizeRejectionThreshold=80                        |    | 10 | 80",
                "maxQueueSize=60 queueSizeRejectionThreshold=80                         |    | 10 | 60",
                "queueSizeRejectionThreshold=80                                         |    | 10 | 0",
                "queueSizeRejectionThreshold=8                                          | 30 | 30 | 8",
            })
    void a_pool_of_hystrix_is_as_wide_as_it_would_be_there(String texts, Integer code, int size, int queue) {
        SettingsBench bench = new SettingsBench(Call.declared()
                .threadPool(pool -> {
                    if (code != null) {
                        pool.size(code).queue(code);
                    }
                })
                .build());
        Stream.of(texts.strip().split(" ", -1)).map(text -> text.split("=", -1)).forEach(pair -> {
            bench.with(HYSTRIX_POOL + pair[0], pair[1]);
        });

        assertThat(bench.resolvePool().settings()).isEqualTo(new BulkheadSettings.ThreadPool("test", size, queue));
        assertThat(bench.read().faults()).isEmpty();
    }

    @Test
    void parts_that_hystrix_has_for_all_pools_bound_those_of_one() {
        SettingsBench bench = plain().with(HYSTRIX_POOL + "maxQueueSize", "10")
                .with(HYSTRIX_POOLS + "queueSizeRejectionThreshold", "8");
        assertThat(bench.resolvePool().settings().queue()).isEqualTo(8);

        bench.with(POOLS + "queue", "70").without(HYSTRIX_POOL + "maxQueueSize");
        assertThat(bench.resolvePool().settings().queue()).isEqualTo(70);

        bench.with(POOL + "queue", "3").with(HYSTRIX_POOL + "maxQueueSize", "10");
        assertThat(bench.resolvePool().settings().queue()).isEqualTo(3);
        assertThat(bench.read().losers())
                .extracting("property", "winner")
                .contains(tuple(HYSTRIX_POOL + "maxQueueSize", POOL + "queue"));
    }

    @Test
    void parts_of_hystrix_with_nothing_to_be_a_part_of_are_told() {
        SettingsBench bench = plain().with(HYSTRIX_POOL + "maximumSize", "20")
                .with(HYSTRIX_POOL + "queueSizeRejectionThreshold", "20");

        assertThat(bench.resolvePool().faults())
                .extracting("property", "subject")
                .containsExactly(
                        tuple(HYSTRIX_POOL + "maximumSize", "pool test"),
                        tuple(HYSTRIX_POOL + "queueSizeRejectionThreshold", "pool test"));
    }

    @Test
    void the_pools_that_hold_are_in_the_settings_of_those_who_use_them() {
        EffectiveSettings settings = SettingResolver.command(
                full().declaration(),
                pool -> new BulkheadSettings.ThreadPool(pool.name(), 33, 0),
                full().read(),
                null,
                false);

        assertThat(settings.settings().guard().bulkhead()).isEqualTo(new BulkheadSettings.ThreadPool("test", 33, 0));
        assertThat(stage(settings, "replica").guard().bulkhead())
                .isEqualTo(new BulkheadSettings.ThreadPool("Call/replica", 33, 0));
        assertThat(stage(settings, "spare").guard())
                .as("is that of the spare")
                .isEqualTo(
                        stage(full().declaration().settings().stages(), "spare").guard());
    }

    private static StageSettings stage(EffectiveSettings settings, String name) {
        return stage(settings.settings().stages(), name);
    }

    private static StageSettings stage(List<StageSettings> stages, String name) {
        return stages.stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    // ---- what follows something else, unless it is set ----

    @Test
    void what_nobody_sets_follows_what_it_follows() {
        SettingsBench bench = full().with(OURS + "timeout", "200 ms")
                .with(OURS + "circuitBreaker.sleepWindow", "1 m")
                .with(OURS + "stage.cache-store.circuitBreaker.sleepWindow", "2 m");

        assertThat(bench.value("slowCall")).isEqualTo("200 ms");
        assertThat(bench.value("circuitBreaker.maxSleepWindow")).isEqualTo("1 m");
        assertThat(bench.value("stage.cache-store.circuitBreaker.maxSleepWindow"))
                .isEqualTo("2 m");
        assertThat(bench.value("stage.replica.timeout")).isEqualTo("200 ms");
        assertThat(stage(bench.resolve(), "replica").guard().slowCall()).isEqualTo(Duration.ofMillis(200));
        assertThat(bench.value("stage.cache-store.timeout")).isEqualTo("50 ms");

        bench.with(OURS + "budget", "20 ms").with(OURS + "timeout", "none");
        assertThat(bench.value("slowCall")).isEqualTo("none");
        assertThat(bench.value("stage.replica.timeout")).isEqualTo("20 ms");
        assertThat(bench.value("stage.cache-store.timeout")).isEqualTo("20 ms");
        assertThat(bench.from("stage.cache-store.timeout")).isEqualTo("BUILT_IN");
        assertThat(bench.problems()).isEmpty();

        bench.with(ALL + "slowCall", "30 ms").with(OURS + "stage.replica.timeout", "10 ms");
        assertThat(bench.value("slowCall")).isEqualTo("30 ms");
        assertThat(stage(bench.resolve(), "replica").guard().slowCall()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void all_stages_of_a_cache_follow_its_memory() {
        SettingsBench bench = full().with(OURS + "stage.cache.freshness", "30 s")
                .with(OURS + "stage.cache.on", "timeout")
                .with(OURS + "stage.cache.quota", "4")
                .with(OURS + "stage.cache-store.quota", "2");

        for (String name : List.of("cache", "cache-store", "cache-at-last")) {
            StageSettings stage = stage(bench.resolve(), name);
            assertThat(stage.freshness()).isEqualTo(Duration.ofSeconds(30));
            assertThat(stage.entry().on()).isEqualTo(Set.of(Trigger.TIMEOUT));
            assertThat(stage.entry().quotaPerSecond()).isEqualTo(name.equals("cache-store") ? 2 : 4);
        }
        assertThat(bench.problems()).isEmpty();
    }

    @Test
    void a_spare_that_is_told_its_triggers_is_entered_whether_healthy_or_not() {
        SettingsBench bench = full();
        assertThat(stage(bench.resolve(), "spare").entry().whileHealthy()).isTrue();

        bench.with(OURS + "stage.spare.on", "FAILURE, timeout");

        assertThat(stage(bench.resolve(), "spare").entry().whileHealthy()).isFalse();
    }

    @Test
    void retries_that_a_property_begins_pause_as_they_do_by_default() {
        SettingsBench bench = full().with(OURS + "retry.attempts", "2");

        assertThat(bench.resolve().settings().retry().backoff()).isEqualTo(Duration.ofMillis(50));
        assertThat(bench.resolve().settings().retry().jitter()).isEqualTo(0.5);
        bench.with(OURS + "retry.attempts", "1");
        assertThat(bench.resolve().settings()).isEqualTo(bench.declaration().settings());
    }

    // ---- what must fit together ----

    static Stream<Arguments> contradictions() {
        Consumer<CommandSpec.Builder<Call, String>> none = spec -> {};
        return Stream.of(
                Arguments.of("circuitBreaker.maxSleepWindow", "4 s", none, "is below the sleepWindow of 5000 ms"),
                Arguments.of("timeout", "11 s", none, "is shorter than the timeout of 11000 ms"),
                Arguments.of("circuitBreaker.buckets", "7", none, "does not divide into 7 buckets"),
                Arguments.of("circuitBreaker.countWindow", "19", none, "would never open"),
                Arguments.of("circuitBreaker.errorThresholdPercentage", "0", none, "has no rule to open by"),
                Arguments.of("stage.replica.timeout", "251 ms", none, "must not exceed the chain's budget of 250 ms"),
                Arguments.of("stage.cache-store.timeout", "251 ms", none, "must not exceed the chain's budget"),
                Arguments.of("beforePrimary.youngerThan", "6 m", none, "must not exceed the freshness of 300000 ms"),
                Arguments.of("stage.cache.freshness", "9 s", none, "must not exceed the freshness of 9000 ms"),
                Arguments.of("stage.cache.freshness", "11 m", none, "must not exceed what its store keeps, keepFor of"),
                Arguments.of("retry.maxBackoff", "49 ms", none, "must not be below retry.backoff of 50 ms"),
                Arguments.of(
                        "timeout",
                        "399 ms",
                        (Consumer<CommandSpec.Builder<Call, String>>) spec -> spec.boundedBy(Duration.ofMillis(400)),
                        "boundedBy must not exceed the timeout of 399 ms, was 400 ms"));
    }

    @ParameterizedTest(name = "{0} = {1}")
    @MethodSource("contradictions")
    void what_contradicts_the_rest_is_refused_and_what_else_is_said_holds(
            String setting, String text, Consumer<CommandSpec.Builder<Call, String>> code, String problem) {
        CommandSpec.Builder<Call, String> spec = everything();
        code.accept(spec);
        SettingsBench bench = new SettingsBench(spec.build());
        String before = bench.value(setting);

        bench.with(OURS + setting, text).with(OURS + "rehearse", "7").with(OURS + "retry.jitter", "0.1");

        assertThat(bench.value(setting)).isEqualTo(before);
        assertThat(bench.value("rehearse")).isEqualTo("7");
        assertThat(bench.value("retry.jitter")).isEqualTo("0.1");
        assertThat(bench.resolve().faults()).singleElement().satisfies(fault -> {
            assertThat(fault.property()).isEqualTo(OURS + setting);
            assertThat(fault.value()).isEqualTo(text);
            assertThat(fault.problem()).contains(problem);
        });
    }

    @Test
    void what_fits_only_together_is_taken_together_in_any_order() {
        SettingsBench bench = full().with(OURS + "timeout", "20 s")
                .with(OURS + "circuitBreaker.window", "30 s")
                .with(OURS + "stage.replica.timeout", "2 s")
                .with(OURS + "budget", "3 s");
        assertThat(bench.problems()).isEmpty();
        assertThat(bench.value("timeout")).isEqualTo("20 s");

        // The same beside one that fits nowhere: pieces that need each other find each other.
        SettingsBench again = full().with(OURS + "timeout", "20 s")
                .with(OURS + "circuitBreaker.window", "30 s")
                .with(OURS + "stage.replica.timeout", "2 s")
                .with(OURS + "budget", "3 s")
                .with(OURS + "stage.cache.freshness", "11 m");
        assertThat(again.resolve().faults()).extracting("property").containsExactly(OURS + "stage.cache.freshness");
        assertThat(again.value("timeout")).isEqualTo("20 s");
        assertThat(again.value("stage.replica.timeout")).isEqualTo("2 s");
    }

    @Test
    void a_removal_that_does_not_fit_stays_and_is_told() {
        SettingsBench bench = new SettingsBench(everything()
                .circuitBreaker(
                        breaker -> breaker.sleepWindow(Duration.ofSeconds(40)).maxSleepWindow(Duration.ofSeconds(60)))
                .build());
        bench.with(OURS + "circuitBreaker.sleepWindow", "5 s")
                .with(OURS + "circuitBreaker.maxSleepWindow", "10 s")
                .resolve();

        bench.without(OURS + "circuitBreaker.sleepWindow");

        assertThat(bench.value("circuitBreaker.sleepWindow")).isEqualTo("5 s");
        assertThat(bench.problems())
                .singleElement()
                .asString()
                .startsWith(OURS + "circuitBreaker.sleepWindow: is gone, but what it has set stays: ");
    }

    @Test
    void what_is_fixed_and_removed_while_it_runs_is_told() {
        SettingsBench bench = full().with(OURS + "circuitBreaker.buckets", "20");
        bench.resolve();

        bench.without(OURS + "circuitBreaker.buckets");

        assertThat(bench.resolve(true).faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.problem()).endsWith("it stays 20"));
        assertThat(bench.resolve(true).settings().guard().breaker().buckets()).isEqualTo(20);
    }

    // ---- what is no setting of this command ----

    static Stream<Arguments> useless() {
        return Stream.of(
                Arguments.of("semaphore.limit", "5", "the command's bulkhead is another one"),
                Arguments.of("virtualThreads.limit", "5", "the command's bulkhead is another one"),
                Arguments.of("stage.nowhere.timeout", "5 ms", "has no such stage, but [replica, spare, cache,"),
                Arguments.of("stage.primary.timeout", "5 ms", "say degradable.command.Call.timeout"),
                Arguments.of("stage.spare.timeout", "5 ms", "say degradable.command.Other.timeout"),
                Arguments.of("stage.cache.timeout", "5 ms", "without a timeout or a breaker"),
                Arguments.of("stage.static.circuitBreaker.probes", "5", "without a timeout or a breaker"),
                Arguments.of("stage.cache-store.freshness", "5 s", "its freshness is that of stage cache"),
                Arguments.of("stage.static.freshness", "5 s", "only a cache has a freshness"),
                Arguments.of("stage.replica.atMost", "5", "atMost(...) cannot appear"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("useless")
    void what_this_command_cannot_have_is_told_unless_it_is_said_for_all(String setting, String text, String problem) {
        SettingsBench bench = full().with(OURS + setting, text);
        assertThat(bench.problems())
                .singleElement()
                .asString()
                .startsWith(OURS + setting)
                .contains(problem);
        assertThat(bench.resolve().settings()).isEqualTo(bench.declaration().settings());

        SettingsBench all = full().with(ALL + setting, text);
        assertThat(all.problems()).isEmpty();
        assertThat(all.resolve().settings()).isEqualTo(all.declaration().settings());
    }

    @Test
    void no_property_makes_a_body_repeatable_or_a_check_less_strict() {
        SettingsBench once = plain().with(OURS + "retry.attempts", "2");
        assertThat(once.problems()).singleElement().asString().contains("needs repeatable() in the code");
        assertThat(once.resolve().settings().retry().areOff()).isTrue();

        SettingsBench check = new SettingsBench(Call.declared().failClosed().build());
        check.with(OURS + "nullIsFailure", "false").with(ALL + "nullIsFailure", "false");
        assertThat(check.problems()).singleElement().asString().contains("failClosed() takes null for a failure");
        assertThat(check.resolve().settings().nullIsFailure()).isTrue();

        SettingsBench write =
                new SettingsBench(Call.declared().write().repeatable().build());
        write.with(OURS + "retry.attempts", "2").with(ALL + "retry.attempts", "2");
        assertThat(write.problems()).singleElement().asString().contains("could do the work twice");

        SettingsBench early = plain().with(OURS + "beforePrimary.youngerThan", "1 s");
        assertThat(early.problems()).singleElement().asString().contains("the code has no beforePrimary(...)");
    }

    // ---- what builders record ----

    @Test
    void a_builder_records_what_was_said_and_nothing_else() {
        assertThat(Call.declared().semaphore().build().definition().said()).isEmpty();
        assertThat(Call.declared()
                        .circuitBreaker(breaker -> {})
                        .threadPool(pool -> pool.named("x"))
                        .build()
                        .definition()
                        .said())
                .isEmpty();
        assertThat(everything().build().definition().said())
                .containsExactlyInAnyOrder(
                        "repeatable", "stage.cache.freshness", "stage.cache.atMost", "beforePrimary.youngerThan");
        assertThat(Call.declared()
                        .noTimeout()
                        .nonCore()
                        .noCircuitBreaker()
                        .semaphore(3)
                        .repeatable()
                        .retry(retry -> retry.jitter(1))
                        .fallback(chain -> chain.within(Duration.ofSeconds(1))
                                .spareCall(
                                        "replica",
                                        (call, context) -> "x",
                                        stage -> stage.timeout(Duration.ofMillis(7))
                                                .threadPool(pool -> pool.size(3))
                                                .circuitBreaker(breaker -> breaker.noRamp())
                                                .on(Trigger.FAILURE)))
                        .build()
                        .definition()
                        .said())
                .containsExactlyInAnyOrder(
                        "timeout",
                        "criticality",
                        "circuitBreaker.enabled",
                        "semaphore.limit",
                        "repeatable",
                        "retry.attempts",
                        "retry.jitter",
                        "budget",
                        "stage.replica.timeout",
                        "stage.replica.pool.size",
                        "stage.replica.circuitBreaker.ramp.shares",
                        "stage.replica.on");
    }

    @Test
    void a_stages_pool_knows_what_was_said_of_it() {
        CommandSpec<Call, String> spec = Call.declared()
                .threadPool(pool -> pool.queue(4))
                .fallback(chain -> chain.spareCall(
                        "replica", (call, context) -> "x", stage -> stage.threadPool(pool -> pool.size(3))))
                .build();

        assertThat(Objects.requireNonNull(spec.definition().declaration().pool(null))
                        .said())
                .containsExactly("queue");
        assertThat(Objects.requireNonNull(spec.definition().declaration().pool("replica"))
                        .said())
                .containsExactly("size");
    }

    @Test
    void specs_of_one_name_must_have_said_the_same() {
        try (Commands commands = Commands.builder().build()) {
            commands.register(Call.declared().timeout(Duration.ofSeconds(1)).build());

            assertThatThrownBy(() -> commands.register(Call.declared().build()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("what the code has set was [timeout], now []");
        }
    }

    @Test
    void without_properties_settings_are_those_of_the_code() {
        for (CommandSpec<Call, String> spec : List.of(
                everything().build(),
                Call.declared().noTimeout().noCircuitBreaker().build(),
                Call.declared()
                        .slowCall(Duration.ofMillis(3))
                        .circuitBreaker(breaker -> breaker.sleepWindow(Duration.ofMinutes(2)))
                        .repeatable()
                        .retry(retry -> retry.attempts(2))
                        .build())) {
            assertThat(new SettingsBench(spec).resolve().settings()).isEqualTo(spec.settings());
        }
        assertThat(Call.declared().noTimeout().build().settings().guard().slowCall())
                .isEqualTo(GuardSettings.NO_TIMEOUT);
    }
}
