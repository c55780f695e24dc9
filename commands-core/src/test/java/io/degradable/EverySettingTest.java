package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.settings.Origin;
import io.degradable.settings.Setting;
import io.degradable.settings.SettingCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** B41: every entry of the catalogue can be set, in every way, and refused. */
final class EverySettingTest {

    /** A text that is not the default, and one that is out of range. */
    private record Sample(String good, String outside) {}

    private static final Map<String, Sample> SAMPLES = Map.ofEntries(
            Map.entry("timeout", new Sample("120 ms", "0 ms")),
            Map.entry("deadline", new Sample("3 s", "-1 s")),
            Map.entry("slowCall", new Sample("700 ms", "0 s")),
            Map.entry("interruptOnTimeout", new Sample("false", "1")),
            Map.entry("budget", new Sample("400 ms", "none")),
            Map.entry("nullIsFailure", new Sample("true", "yes")),
            Map.entry("rehearse", new Sample("12.5", "100.1")),
            Map.entry("criticality", new Sample("non-core", "CORE")),
            Map.entry("semaphore.limit", new Sample("77", "0")),
            Map.entry("virtualThreads.limit", new Sample("77", "2147483648")),
            Map.entry("retry.attempts", new Sample("4", "11")),
            Map.entry("retry.backoff", new Sample("20 ms", "0 ms")),
            Map.entry("retry.maxBackoff", new Sample("2 s", "200 y")),
            Map.entry("retry.jitter", new Sample("0.25", "1.01")),
            Map.entry("retry.budgetPercentage", new Sample("20", "101")),
            Map.entry("retry.budgetPerSecond", new Sample("2.5", "0")),
            Map.entry("beforePrimary.youngerThan", new Sample("20 s", "0 s")),
            Map.entry("beforePrimary.refill", new Sample("50", "0.0000001")),
            Map.entry("circuitBreaker.enabled", new Sample("false", "off")),
            Map.entry("circuitBreaker.requestVolumeThreshold", new Sample("30", "0")),
            Map.entry("circuitBreaker.errorThresholdPercentage", new Sample("60", "101")),
            Map.entry("circuitBreaker.failureRate", new Sample("70", "-1")),
            Map.entry("circuitBreaker.slowRate", new Sample("80", "101")),
            Map.entry("circuitBreaker.consecutiveFailures", new Sample("9", "-1")),
            Map.entry("circuitBreaker.window", new Sample("20 s", "146 y")),
            Map.entry("circuitBreaker.buckets", new Sample("20", "10001")),
            Map.entry("circuitBreaker.countWindow", new Sample("200", "100001")),
            Map.entry("circuitBreaker.sleepWindow", new Sample("7 s", "0 s")),
            Map.entry("circuitBreaker.maxSleepWindow", new Sample("40 s", "0 s")),
            Map.entry("circuitBreaker.probes", new Sample("6", "0")),
            Map.entry("circuitBreaker.probeSuccessPercentage", new Sample("90", "0")),
            Map.entry("circuitBreaker.ramp.shares", new Sample("5, 50, 99", "5, 100")),
            Map.entry("circuitBreaker.ramp.decisions", new Sample("30", "10001")),
            Map.entry("stage.atMost", new Sample("3", "0")),
            Map.entry("stage.quota", new Sample("12.5", "-1")),
            Map.entry("stage.on", new Sample("FAILURE, SHORT_CIRCUITED", "NONE")),
            Map.entry("stage.freshness", new Sample("1 m", "0 m")),
            Map.entry("pool.size", new Sample("20", "0")),
            Map.entry("pool.queue", new Sample("30", "-1")),
            Map.entry("pool.queueTimeout", new Sample("30 ms", "-30 ms")),
            Map.entry("pool.callerRuns", new Sample("2", "-2")));

    /** What stands in a file of Hystrix for the good text. */
    private static final Map<String, String> OF_HYSTRIX = Map.of(
            "timeout", "120",
            "circuitBreaker.window", "20000",
            "circuitBreaker.sleepWindow", "7000");

    static Stream<Arguments> settings() {
        List<Arguments> all = new ArrayList<>();
        for (Setting setting : SettingCatalogue.COMMANDS) {
            all.add(Arguments.of(setting.name(), "", setting));
        }
        for (Setting setting : SettingCatalogue.STAGES) {
            String stage =
                    switch (setting.name()) {
                        case "atMost", "freshness" -> "cache";
                        default -> "replica";
                    };
            all.add(Arguments.of("stage." + stage + "." + setting.name(), stage, setting));
        }
        return all.stream();
    }

    private static SettingsBench bench(String name) {
        CommandSpec.Builder<Call, String> spec = SettingsBench.everything();
        return new SettingsBench(
                switch (name) {
                    case "semaphore.limit" -> spec.semaphore().build();
                    case "virtualThreads.limit" -> spec.virtualThreads(5).build();
                    default -> spec.build();
                });
    }

    private static Sample sample(String prefix, Setting setting) {
        Sample own = SAMPLES.get(prefix + setting.name());
        return Objects.requireNonNull(own == null ? SAMPLES.get(setting.name()) : own, setting.name());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void is_set_by_a_property_and_back_when_that_is_removed(String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);
        String before = bench.value(name);
        String property = SettingsBench.OURS + name;
        String good = sample("stage.", setting).good();

        bench.with(property, "  " + good + " ");

        assertThat(good).isNotEqualTo(before);
        assertThat(bench.value(name)).isEqualTo(good);
        assertThat(bench.resolve().origins().get(name))
                .isEqualTo(new Origin(good, Origin.From.PROPERTY, property, "test"));
        assertThat(bench.problems()).isEmpty();

        bench.without(property);

        assertThat(bench.value(name)).isEqualTo(before);
        assertThat(bench.resolve().settings())
                .isEqualTo(bench(name).declaration().settings());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void is_set_by_a_property_for_all_unless_the_code_has_set_it(String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);
        boolean said = bench.declaration().said().contains(name);
        String before = bench.value(name);

        bench.with(SettingsBench.ALL + name, sample("stage.", setting).good());

        assertThat(bench.value(name))
                .isEqualTo(said ? before : sample("stage.", setting).good());
        assertThat(bench.from(name)).isEqualTo(said ? "CODE" : "DEFAULT_PROPERTY");
        assertThat(bench.problems()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void is_set_by_the_name_that_hystrix_has_for_it_unless_ours_is_there(String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);
        String before = bench.value(name);
        String good = sample("stage.", setting).good();

        for (String hystrix : setting.hystrixNames().stream().limit(1).toList()) {
            bench.with(SettingsBench.HYSTRIX + hystrix, OF_HYSTRIX.getOrDefault(name, good));

            assertThat(bench.value(name)).isEqualTo(good);
            assertThat(bench.from(name)).isEqualTo("PROPERTY");

            bench.with(SettingsBench.OURS + name, before);

            assertThat(bench.value(name)).isEqualTo(before);
            assertThat(bench.read().losers()).singleElement().satisfies(loser -> {
                assertThat(loser.property()).isEqualTo(SettingsBench.HYSTRIX + hystrix);
                assertThat(loser.winner()).isEqualTo(SettingsBench.OURS + name);
            });
        }
        assertThat(bench.problems()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void keeps_its_last_good_value_when_what_comes_is_malformed_or_out_of_range(
            String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);
        String property = SettingsBench.OURS + name;
        Sample sample = sample("stage.", setting);
        bench.with(property, sample.good()).value(name);

        for (String bad : List.of("ten", "", "1_0 ms", sample.outside(), "99999999999999999999 s", "٣")) {
            bench.with(property, bad);

            assertThat(bench.value(name)).isEqualTo(sample.good());
            assertThat(bench.read().faults()).singleElement().satisfies(fault -> {
                assertThat(fault.property()).isEqualTo(property);
                assertThat(fault.value()).isEqualTo(bad);
                assertThat(fault.source()).isEqualTo("test");
                assertThat(fault.subject()).isEqualTo("command Call");
                assertThat(fault.problem())
                        .startsWith("must be " + setting.range())
                        .endsWith("; what it said before counts, " + sample.good());
            });
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void changes_while_it_runs_only_if_it_is_live(String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);
        String before = bench.value(name);
        String property = SettingsBench.OURS + name;
        String good = sample("stage.", setting).good();

        bench.with(property, good).resolve(true);

        assertThat(Objects.requireNonNull(bench.resolve(true).origins().get(name))
                        .value())
                .isEqualTo(setting.isLive() ? good : before);
        assertThat(bench.resolve(true).faults())
                .extracting(fault -> fault.property() + " = " + fault.value())
                .isEqualTo(setting.isLive() ? List.of() : List.of(property + " = " + good));
        assertThat(bench.value(name)).as("when it is made again").isEqualTo(good);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void is_by_default_what_the_catalogue_says(String name, String stage, Setting setting) {
        SettingsBench bench = bench(name);

        if (setting.byDefault().matches("[0-9].*|true|false|none|core")
                && !bench.declaration().said().contains(name)) {
            assertThat(bench.value(name)).isEqualTo(setting.byDefault().replaceFirst("(;|, or).*", ""));
            assertThat(bench.from(name)).isEqualTo("BUILT_IN");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pools")
    void a_pool_is_set_by_its_name_by_default_and_back(String name, Setting setting) {
        SettingsBench bench = new SettingsBench(Call.declared()
                .threadPool(pool -> pool.queue(50)) // so that a queueTimeout has an effect
                .build());
        Function<SettingsBench, Origin> value =
                one -> Objects.requireNonNull(one.resolvePool().origins().get(name));
        Origin before = value.apply(bench);
        Sample sample = sample("pool.", setting);

        bench.with("degradable.pool.default." + name, sample.good());
        assertThat(value.apply(bench).value()).isEqualTo(name.equals("queue") ? "50" : sample.good());
        bench.with("degradable.pool.default." + name, setting.byDefault().replaceFirst(";.*", ""))
                .with("degradable.pool.test." + name, sample.good());
        assertThat(value.apply(bench))
                .isEqualTo(new Origin(sample.good(), Origin.From.PROPERTY, "degradable.pool.test." + name, "test"));
        for (String bad : List.of("ten", "-5", sample.outside(), "2147483648")) {
            bench.with("degradable.pool.test." + name, bad);
            assertThat(value.apply(bench).value()).isEqualTo(sample.good());
            assertThat(bench.read().faults())
                    .singleElement()
                    .satisfies(fault -> assertThat(fault.problem()).startsWith("must be " + setting.range()));
        }
        bench.without("degradable.pool.test." + name).without("degradable.pool.default." + name);
        assertThat(value.apply(bench)).isEqualTo(before);
    }

    static Stream<Arguments> pools() {
        return SettingCatalogue.POOLS.stream().map(setting -> Arguments.of(setting.name(), setting));
    }
}
