package io.degradable.settings;

import static io.degradable.settings.Setting.fixed;
import static io.degradable.settings.Setting.live;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/** Every setting that can be set from outside, in the order in which they are tried. */
public final class SettingCatalogue {

    static final String BREAKER = "circuitBreaker.";
    static final String FORCE_OPEN = BREAKER + "forceOpen";
    static final String FORCE_CLOSED = BREAKER + "forceClosed";
    static final String OUT = "out";
    static final String STAGE = "stage.";

    /** A property cannot ask for so many that they would take the memory. */
    private static final int MOST_BUCKETS = 10_000;

    private static final String ONLY_CODE = "what the code says";
    private static final Form COUNT = NumberForm.whole(1, Integer.MAX_VALUE);
    private static final Form COUNT_OR_NONE = NumberForm.whole(0, Integer.MAX_VALUE);
    private static final Form PERCENTAGE_OR_OFF = NumberForm.whole(0, 100);

    /** By {@code degradable.command.<name>.<setting>}. */
    public static final List<Setting> COMMANDS = Stream.of(
                    Stream.of(
                            live(
                                    "timeout",
                                    SpanForm.spanOrNone(),
                                    "1 s",
                                    HystrixNames.TIMEOUT,
                                    HystrixNames.TIMEOUT_ENABLED),
                            live("deadline", SpanForm.spanOrNone(), "none"),
                            live("slowCall", SpanForm.spanOrNone(), "the timeout"),
                            live(
                                    "interruptOnTimeout",
                                    Form.TRUTH,
                                    "true",
                                    "execution.isolation.thread.interruptOnTimeout"),
                            live("budget", SpanForm.span(), "250 ms"),
                            fixed("nullIsFailure", Form.TRUTH, "false"),
                            live("rehearse", NumberForm.decimal("0", "100"), "1"),
                            live("criticality", WordForms.CRITICALITY, "core"),
                            live("semaphore.limit", COUNT, "10", "execution.isolation.semaphore.maxConcurrentRequests"),
                            live("virtualThreads.limit", COUNT, ONLY_CODE),
                            live("retry.attempts", NumberForm.whole(1, 10), "1"),
                            live("retry.backoff", SpanForm.span(), "50 ms"),
                            live("retry.maxBackoff", SpanForm.span(), "1 s"),
                            live("retry.jitter", NumberForm.decimal("0", "1"), "0.5"),
                            live("retry.budgetPercentage", PERCENTAGE_OR_OFF, "10"),
                            live("retry.budgetPerSecond", NumberForm.decimal("0.000001", "1000000"), "1"),
                            live("beforePrimary.youngerThan", SpanForm.span(), ONLY_CODE),
                            live(
                                    "beforePrimary.refill",
                                    NumberForm.decimalOrZero("for no bound", "0.000001", "1000000000"),
                                    "0")),
                    breaker(true))
            .flatMap(settings -> settings)
            .toList();

    /** By {@code degradable.command.<name>.stage.<stage>.<setting>}. */
    public static final List<Setting> STAGES = Stream.of(
                    Stream.of(
                            live(
                                    "timeout",
                                    SpanForm.span(),
                                    "the command's timeout, of a store 50 ms; at most the budget"),
                            live("interruptOnTimeout", Form.TRUTH, "true")),
                    breaker(false),
                    Stream.of(
                            live("atMost", COUNT, "of a spare command what the primary may run at once, else no bound"),
                            live("quota", NumberForm.decimalOrZero("for none", "0.000001", "1000000000"), "0"),
                            fixed(
                                    "on",
                                    WordForms.TRIGGERS,
                                    "of a spare FAILURE and, while it is healthy, TIMEOUT; of a copy all"),
                            live("freshness", SpanForm.span(), ONLY_CODE)))
            .flatMap(settings -> settings)
            .toList();

    /** By {@code degradable.pool.<name>.<setting>}. */
    public static final List<Setting> POOLS = List.of(
            live(
                    "size",
                    COUNT,
                    "10; of a stage what the primary may run at once, of a store 8",
                    HystrixNames.CORE_SIZE,
                    HystrixNames.MAXIMUM_SIZE,
                    HystrixNames.DIVERGES),
            live("queue", COUNT_OR_NONE, "0", HystrixNames.MAX_QUEUE, HystrixNames.QUEUE_THRESHOLD),
            live("queueTimeout", SpanForm.spanOrNone(), "none"),
            live("callerRuns", COUNT_OR_NONE, "0"));

    private static final Map<String, Setting> COMMANDS_BY_NAME = byName(COMMANDS);
    private static final Map<String, Setting> STAGES_BY_NAME = byName(STAGES);
    private static final Map<String, Setting> POOLS_BY_NAME = byName(POOLS);

    /** What is no setting, but is said in the same way: breakers held by force, stages taken out. */
    static final Map<String, Form> CONTROLS = Map.of(FORCE_OPEN, Form.TRUTH, FORCE_CLOSED, Form.TRUTH, OUT, Form.TRUTH);

    private SettingCatalogue() {}

    private static Stream<Setting> breaker(boolean hystrix) {
        return Stream.of(
                live(BREAKER + "enabled", Form.TRUTH, "true", alias(hystrix, BREAKER + "enabled")),
                live(
                        BREAKER + "requestVolumeThreshold",
                        COUNT,
                        "20",
                        alias(hystrix, BREAKER + "requestVolumeThreshold")),
                live(
                        BREAKER + "errorThresholdPercentage",
                        PERCENTAGE_OR_OFF,
                        "50",
                        alias(hystrix, BREAKER + "errorThresholdPercentage")),
                live(BREAKER + "failureRate", PERCENTAGE_OR_OFF, "0"),
                live(BREAKER + "slowRate", PERCENTAGE_OR_OFF, "0"),
                live(BREAKER + "consecutiveFailures", COUNT_OR_NONE, "0"),
                fixed(
                        BREAKER + "window",
                        SpanForm.span(),
                        "10 s",
                        alias(hystrix, "metrics.rollingStats.timeInMilliseconds")),
                fixed(
                        BREAKER + "buckets",
                        NumberForm.whole(2, MOST_BUCKETS),
                        "10",
                        alias(hystrix, "metrics.rollingStats.numBuckets")),
                fixed(BREAKER + "countWindow", NumberForm.whole(0, BreakerSettings.LARGEST_COUNT_WINDOW), "0"),
                live(
                        BREAKER + "sleepWindow",
                        SpanForm.span(),
                        "5 s",
                        alias(hystrix, BREAKER + "sleepWindowInMilliseconds")),
                live(BREAKER + "maxSleepWindow", SpanForm.span(), "30 s, or the sleepWindow if that is longer"),
                live(BREAKER + "probes", COUNT, "5"),
                live(BREAKER + "probeSuccessPercentage", NumberForm.whole(1, 100), "80"),
                live(BREAKER + "ramp.shares", WordForms.SHARES, "10, 25, 50"),
                live(BREAKER + "ramp.decisions", NumberForm.whole(1, 10_000), "20"));
    }

    private static String[] alias(boolean hystrix, String name) {
        return hystrix ? new String[] {name} : new String[0];
    }

    private static Map<String, Setting> byName(List<Setting> settings) {
        Map<String, Setting> byName = new LinkedHashMap<>();
        settings.forEach(setting -> byName.put(setting.name(), setting));
        return byName;
    }

    /** Whether it can be said behind a stage's name. */
    static boolean isOfStage(String name) {
        return STAGES_BY_NAME.containsKey(name) || CONTROLS.containsKey(name);
    }

    /** How what is said of a command is written, by all behind its name; null when there is no such setting. */
    static @Nullable Form formOfCommand(String rest) {
        Setting command = COMMANDS_BY_NAME.get(rest);
        if (command != null) {
            return command.form();
        }
        Form control = CONTROLS.get(rest);
        if (control != null || !rest.startsWith(STAGE)) {
            return control;
        }
        // The setting is the longest end that is one, so that a stage's name may have dots in it.
        for (int dot = rest.indexOf('.', STAGE.length() + 1); dot >= 0; dot = rest.indexOf('.', dot + 1)) {
            String name = rest.substring(dot + 1);
            Setting stage = STAGES_BY_NAME.get(name);
            if (stage != null) {
                return stage.form();
            }
            if (CONTROLS.containsKey(name)) {
                return CONTROLS.get(name);
            }
        }
        return null;
    }

    /** The same of a pool. */
    static @Nullable Form formOfPool(String rest) {
        Setting pool = POOLS_BY_NAME.get(rest);
        return pool == null ? null : pool.form();
    }

    /** All names that can stand behind a command's or a stage's. */
    static List<String> namesOf(List<Setting> settings) {
        List<String> names =
                new ArrayList<>(settings.stream().map(Setting::name).toList());
        if (settings != POOLS) {
            names.addAll(List.of(FORCE_OPEN, FORCE_CLOSED, OUT));
        }
        return names;
    }
}
