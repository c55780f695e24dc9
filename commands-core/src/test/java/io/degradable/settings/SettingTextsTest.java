package io.degradable.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.degradable.settings.SettingTexts.Read;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** B41: what sources say, before anybody asks what it means for a command. */
final class SettingTextsTest {

    private static SettingTexts read(String... pairs) {
        return SettingTexts.read(List.of(source("file", pairs)), null);
    }

    private static Read source(String name, String... pairs) {
        Map<String, String> texts = new HashMap<>();
        for (int place = 0; place < pairs.length; place += 2) {
            texts.put(pairs[place], pairs[place + 1]);
        }
        return new Read(name, texts);
    }

    private static @Nullable Object timeout(SettingTexts texts, String command) {
        SettingTable.Value value = texts.command(command).get("timeout");
        return value == null ? null : value.parsed();
    }

    // ---- values ----

    @ParameterizedTest
    @CsvSource({
        "150 ms, PT0.15S, 150 ms",
        "150ms, PT0.15S, 150 ms",
        "0150 ms, PT0.15S, 150 ms",
        "2 s, PT2S, 2 s",
        "1500 ms, PT1.5S, 1500 ms",
        "1 m, PT1M, 1 m",
        "1 h, PT1H, 1 h",
        "250 us, PT0.00025S, 250 us",
        "7 ns, PT0.000000007S, 7 ns",
        "PT0.15S, PT0.15S, 150 ms",
        "pt1m, PT1M, 1 m",
    })
    void a_span_is_a_number_and_its_unit_or_iso_8601(String text, Duration span, String again) {
        assertThat(SpanForm.span().read(text)).isEqualTo(span);
        assertThat(SpanForm.span().text(span)).isEqualTo(again);
        assertThat(SpanForm.span().read(again)).isEqualTo(span);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ms",
                "0 ms",
                "-5 ms",
                "5",
                "-5",
                "1.5 s",
                "1_000 ms",
                "5 MS",
                "5 days",
                "P",
                "PT",
                "PT0S",
                "PT-1S",
                "150 y",
                "1282000 h",
                "9223372036854775807 s",
                "99999999999999999999 ns",
                "PT9223372036854775807S",
                "P99999999999D",
                "+5 ms",
                "５ ms",
                "5 m s",
                "None",
                "null"
            })
    void what_is_no_span_is_refused_with_the_range(String text) {
        assertThatThrownBy(() -> SpanForm.spanOrNone().read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("must be a span above 0 and below 146 years")
                .hasMessageContaining("or none");
    }

    @Test
    void none_is_for_limits_and_a_bare_number_needs_its_unit_except_with_hystrix() {
        assertThat(SpanForm.spanOrNone().read("none")).isEqualTo(GuardSettings.NO_TIMEOUT);
        assertThat(SpanForm.spanOrNone().text(GuardSettings.NO_TIMEOUT)).isEqualTo("none");
        assertThatThrownBy(() -> SpanForm.span().read("none")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SpanForm.span().read("150"))
                .hasMessageEndingWith("a number needs its unit, as in 150 ms");
        assertThat(SpanForm.millis().read("150")).isEqualTo(Duration.ofMillis(150));
        assertThatThrownBy(() -> SpanForm.millis().read("-150")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ten", "1.0", "1e3", "0x1", "1_0", "0", "11", "-1", "99999999999999999999999", "1 0"})
    void what_is_no_number_or_too_large_is_refused_with_the_range(String text) {
        assertThatThrownBy(() -> NumberForm.whole(1, 10).read(text)).hasMessage("must be a whole number from 1 to 10");
    }

    @Test
    void the_ends_of_a_range_belong_to_it() {
        assertThat(NumberForm.whole(1, 10).read("1")).isEqualTo(1);
        assertThat(NumberForm.whole(1, 10).read("010")).isEqualTo(10);
        assertThat(NumberForm.whole(0, Integer.MAX_VALUE).read("2147483647")).isEqualTo(Integer.MAX_VALUE);
        Form quota = NumberForm.decimalOrZero("for none", "0.000001", "1000000000");
        assertThat(quota.read("0.0")).isEqualTo(0.0);
        assertThat(quota.read("-0")).isEqualTo(0.0);
        assertThat(quota.read("0.000001")).isEqualTo(1e-6);
        assertThat(quota.text(1e-6)).isEqualTo("0.000001");
        assertThat(quota.text(1e9)).isEqualTo("1000000000");
        for (String bad : List.of("NaN", "Infinity", "1e9", ".5", "5.", "0.0000001", "1000000000.1")) {
            assertThatThrownBy(() -> quota.read(bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void truth_is_true_or_false_in_any_case_and_nothing_else() {
        assertThat(Form.TRUTH.read("TRUE")).isEqualTo(true);
        assertThat(Form.TRUTH.read("False")).isEqualTo(false);
        for (String bad : List.of("", "yes", "1", "on", "tru", "true false")) {
            assertThatThrownBy(() -> Form.TRUTH.read(bad)).hasMessage("must be true or false");
        }
    }

    @Test
    void lists_are_separated_by_commas() {
        assertThat(WordForms.SHARES.read("1,50 , 99")).isEqualTo(List.of(1, 50, 99));
        assertThat(WordForms.SHARES.read("none")).isEqualTo(List.of());
        for (String bad : List.of("", "50, 10", "10, 10", "0", "100", "10,", "10 20")) {
            assertThatThrownBy(() -> WordForms.SHARES.read(bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(WordForms.TRIGGERS.text(WordForms.TRIGGERS.read("timeout, FAILURE")))
                .isEqualTo("FAILURE, TIMEOUT");
        for (String bad : List.of("", "NONE", "FAILURE,", "FAILURE TIMEOUT", "always")) {
            assertThatThrownBy(() -> WordForms.TRIGGERS.read(bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
    }

    // ---- sources ----

    @Test
    void the_first_source_is_heard_and_the_others_are_shown() {
        SettingTexts texts = SettingTexts.read(
                List.of(
                        source("redis", "degradable.command.A.timeout", "1 ms"),
                        source("file", "degradable.command.A.timeout", "2 ms", "degradable.command.B.timeout", "3 ms"),
                        source("env", "degradable.command.A.timeout", "bad, but never heard")),
                null);

        assertThat(timeout(texts, "A")).isEqualTo(Duration.ofMillis(1));
        assertThat(timeout(texts, "B")).isEqualTo(Duration.ofMillis(3));
        assertThat(texts.losers())
                .extracting("value", "source", "winner")
                .containsExactly(tuple("2 ms", "file", "redis"), tuple("bad, but never heard", "env", "redis"));
        assertThat(texts.faults()).isEmpty();
    }

    @Test
    void what_could_be_read_last_stands_before_what_another_source_says() {
        String property = "degradable.command.A.timeout";
        Read file = source("file", property, "2 ms");
        SettingTexts first = SettingTexts.read(List.of(source("redis", property, "1 ms"), file), null);
        SettingTexts second = SettingTexts.read(List.of(source("redis", property, "-5"), file), first);
        SettingTexts third = SettingTexts.read(List.of(source("redis"), file), second);
        SettingTexts fourth = SettingTexts.read(List.of(source("redis", property, "-5")), null);

        assertThat(timeout(second, "A")).isEqualTo(Duration.ofMillis(1));
        assertThat(second.faults()).singleElement().satisfies(fault -> {
            assertThat(fault.source()).isEqualTo("redis");
            assertThat(fault.problem()).endsWith("; what it said before counts, 1 ms");
        });
        assertThat(timeout(third, "A")).isEqualTo(Duration.ofMillis(2));
        assertThat(third.faults()).isEmpty();
        assertThat(timeout(fourth, "A")).isNull();
        assertThat(fourth.faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.problem()).endsWith("it was never readable, so it says nothing"));
    }

    @Test
    void what_was_gone_in_between_is_no_last_good_value() {
        String property = "degradable.command.A.timeout";
        SettingTexts one = read(property, "1 ms");
        SettingTexts gone = SettingTexts.read(List.of(source("file")), one);
        SettingTexts bad = SettingTexts.read(List.of(source("file", property, "ten")), gone);

        assertThat(timeout(bad, "A")).isNull();
    }

    // ---- names ----

    @Test
    void names_may_have_dots_and_strokes_in_them() {
        SettingTexts texts = read(
                "degradable.command.a.b/c-d_e.timeout", "1 ms",
                "degradable.command.x.stage.re.plica.timeout", "2 ms",
                "degradable.command.stage.timeout", "3 ms",
                "hystrix.command.a.b.execution.isolation.thread.timeoutInMilliseconds", "4");

        assertThat(timeout(texts, "a.b/c-d_e")).isEqualTo(Duration.ofMillis(1));
        assertThat(read("degradable.command.Get Product.timeout", "1 ms").faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.problem()).contains("command name must be 1 to 120 characters"));
        assertThat(texts.command("x").get("stage.re.plica.timeout")).isNotNull();
        assertThat(timeout(texts, "x.stage.re.plica")).isEqualTo(Duration.ofMillis(2));
        assertThat(timeout(texts, "stage")).isEqualTo(Duration.ofMillis(3));
        assertThat(Objects.requireNonNull(texts.command("a.b").part(HystrixNames.TIMEOUT))
                        .parsed())
                .isEqualTo(Duration.ofMillis(4));
    }

    @ParameterizedTest
    @CsvSource({
        "degradable.command.GetProduct.timeot, degradable.command.GetProduct.timeout",
        "degradable.command.GetProduct.Timeout, degradable.command.GetProduct.timeout",
        "degradable.command.GetProduct.circuitBreaker.sleepwindo, degradable.command.GetProduct.circuitBreaker.sleepWindow",
        "degradable.command.a.b.retry.attempt, degradable.command.a.b.retry.attempts",
        "degradable.command.A.stage.replica.timeouts, degradable.command.A.stage.replica.timeout",
        "degradable.comand.GetProduct.timeout, degradable.command.GetProduct.timeout",
        "degradable.pool.catalog.sice, degradable.pool.catalog.size",
        "degradable.pools.catalog.size, degradable.pool.catalog.size",
        "degradable.switch.comand.A, degradable.switch.command.<name>",
        "degradable.switch.everything, degradable.switch.command.<name>",
        "degradable.command.timeout, degradable.command.<name>.timeout",
        "degradable., degradable.command.<name>.timeout",
    })
    void an_unknown_name_is_told_with_the_nearest_known_one(String property, String nearest) {
        assertThat(read(property, "1 ms").faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.problem()).startsWith("is no name of a setting; the nearest is "));
        if (!property.equals("degradable.") && !property.contains("everything")) {
            assertThat(read(property, "1 ms").faults().get(0).problem()).endsWith(" " + nearest);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "command.A.execution.isolation.strategy",
                "command.A.execution.isolation.thread.interruptOnFutureCancel",
                "command.A.fallback.isolation.semaphore.maxConcurrentRequests",
                "command.default.fallback.enabled",
                "command.A.metrics.rollingPercentile.enabled",
                "command.A.metrics.rollingPercentile.timeInMilliseconds",
                "command.A.metrics.rollingPercentile.numBuckets",
                "command.A.metrics.rollingPercentile.bucketSize",
                "command.A.metrics.healthSnapshot.intervalInMilliseconds",
                "command.A.requestCache.enabled",
                "command.A.requestLog.enabled",
                "command.A.threadPoolKeyOverride",
                "threadpool.A.keepAliveTimeMinutes",
                "threadpool.A.metrics.rollingStats.timeInMilliseconds",
                "threadpool.default.metrics.rollingStats.numBuckets",
                "collapser.default.maxRequestsInBatch",
                "stream.dashboard.intervalInMilliseconds",
                "config.stream.maxConcurrentConnections",
                "timer.threadpool.default.coreSize",
                "plugin.HystrixEventNotifier.implementation",
            })
    void what_hystrix_has_and_we_have_not_is_told_once_with_the_reason(String name) {
        SettingTexts texts = SettingTexts.read(
                List.of(source("file", "hystrix." + name, "1"), source("env", "hystrix." + name, "2")), null);

        assertThat(texts.faults()).singleElement().satisfies(fault -> {
            assertThat(fault.property()).isEqualTo("hystrix." + name);
            assertThat(fault.problem()).startsWith("has no counterpart: ");
        });
    }

    @Test
    void names_that_are_none_of_ours_do_no_harm() {
        Map<String, String> others =
                new HashMap<>(Map.of("java.home", "/", "degradable", "x", "hystrixx.a", "y", "", ""));
        others.put(null, "z");
        others.put("degradable.command.A.timeout", null);

        SettingTexts texts = SettingTexts.read(List.of(new Read("env", others)), null);

        assertThat(texts.faults()).isEmpty();
        assertThat(timeout(texts, "A")).isNull();
        assertThat(read("hystrix.command.A.nothing", "1").faults())
                .singleElement()
                .satisfies(
                        fault -> assertThat(fault.problem()).isEqualTo("is nothing that Hystrix or Degradable knows"));
    }

    // ---- what is no setting, but held ----

    @Test
    void switches_are_handed_through() {
        SettingTexts texts = read(
                "degradable.switch.command.Get.Product", " 1 ",
                "degradable.switch.group.catalog", "2",
                "degradable.switch.all", "0",
                "degradable.switch.command.B", "3");

        assertThat(texts.switches())
                .extracting(ControlText::kind, ControlText::name, ControlText::stage, ControlText::text)
                .containsExactly(
                        tuple("all", "", "", "0"),
                        tuple("command", "Get.Product", "", "1"),
                        tuple("group", "catalog", "", "2"));
        assertThat(texts.faults())
                .extracting(SettingFault::subject, SettingFault::value)
                .containsExactly(tuple("switch of command B", "3"));
    }

    @ParameterizedTest(name = "{0} {1}, all {2}: {3}")
    @CsvSource({
        "true,  true,      , open",
        "true,  false,     , open",
        "false, true,      , closed",
        "     , true,      , closed",
        "false, false,     ,",
        "     ,      , true, open",
        "false,      , true,",
    })
    void a_breaker_is_forced_open_before_it_is_forced_closed(String open, String closed, String allOpen, String held) {
        for (String prefix : List.of("degradable.command.", "hystrix.command.")) {
            Map<String, String> said = new HashMap<>();
            said.put(prefix + "A.circuitBreaker.forceOpen", open);
            said.put(prefix + "A.circuitBreaker.forceClosed", closed);
            said.put(prefix + "default.circuitBreaker.forceOpen", allOpen);

            SettingTexts texts = SettingTexts.read(List.of(new Read("file", said)), null);

            assertThat(texts.controls("A"))
                    .extracting(ControlText::kind, ControlText::stage, ControlText::text)
                    .isEqualTo(held == null ? List.of() : List.of(tuple("circuit", "primary", held)));
            assertThat(texts.faults()).isEmpty();
        }
    }

    @Test
    void stages_are_taken_out_and_their_breakers_held() {
        SettingTexts texts = read(
                "degradable.command.A.stage.replica.out", "true",
                "degradable.command.A.stage.spare.out", "false",
                "degradable.command.A.stage.spare.circuitBreaker.forceClosed", "true",
                "degradable.command.A.out", "true",
                "degradable.command.default.stage.cache.out", "true");

        assertThat(texts.controls("A"))
                .extracting(ControlText::kind, ControlText::name, ControlText::stage, ControlText::text)
                .containsExactly(
                        tuple("stage", "A", "cache", "out"),
                        tuple("stage", "A", "primary", "out"),
                        tuple("stage", "A", "replica", "out"),
                        tuple("circuit", "A", "spare", "closed"));
        assertThat(texts.controls("B")).extracting(ControlText::stage).containsExactly("cache");
        assertThat(read("degradable.command.A.stage.primary.out", "true").controls("A"))
                .extracting(ControlText::stage)
                .containsExactly("primary");
    }
}
