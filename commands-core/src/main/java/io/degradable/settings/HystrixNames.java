package io.degradable.settings;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The property names of Hystrix. One has either one setting that it is another name for, or is a part that a setting is made
 * up of, or no counterpart, for a reason.
 */
final class HystrixNames {

    static final String TIMEOUT = "execution.isolation.thread.timeoutInMilliseconds";
    static final String TIMEOUT_ENABLED = "execution.timeout.enabled";
    static final String CORE_SIZE = "coreSize";
    static final String MAXIMUM_SIZE = "maximumSize";
    static final String DIVERGES = "allowMaximumSizeToDivergeFromCoreSize";
    static final String MAX_QUEUE = "maxQueueSize";
    static final String QUEUE_THRESHOLD = "queueSizeRejectionThreshold";

    static final String COMMANDS = "hystrix.command.";
    static final String POOLS = "hystrix.threadpool.";

    /**
     * What is read of a name.
     *
     * @param form how its values are written
     * @param kept under which name they are kept: the setting's, or for a part its own
     */
    record Alias(Form form, String kept) {}

    private static final Form COUNT = NumberForm.whole(1, Integer.MAX_VALUE);

    private static final Map<String, Alias> ALIASES_OF_COMMANDS = new HashMap<>();
    private static final Map<String, Alias> ALIASES_OF_POOLS = Map.of(
            CORE_SIZE, part(CORE_SIZE, COUNT),
            MAXIMUM_SIZE, part(MAXIMUM_SIZE, COUNT),
            DIVERGES, part(DIVERGES, Form.TRUTH),
            MAX_QUEUE, part(MAX_QUEUE, NumberForm.whole(Integer.MIN_VALUE, Integer.MAX_VALUE)),
            QUEUE_THRESHOLD, part(QUEUE_THRESHOLD, NumberForm.whole(0, Integer.MAX_VALUE)));

    static {
        Map<String, Alias> all = ALIASES_OF_COMMANDS;
        all.put(TIMEOUT, part(TIMEOUT, SpanForm.millis()));
        all.put(TIMEOUT_ENABLED, part(TIMEOUT_ENABLED, Form.TRUTH));
        all.put("circuitBreaker.forceOpen", name(Form.TRUTH, SettingCatalogue.FORCE_OPEN));
        all.put("circuitBreaker.forceClosed", name(Form.TRUTH, SettingCatalogue.FORCE_CLOSED));
        // Of Hystrix 0 opens the breaker at any rate; here it would take the rule off.
        all.put(
                "circuitBreaker.errorThresholdPercentage",
                name(NumberForm.whole(1, 100), "circuitBreaker.errorThresholdPercentage"));
        all.put("circuitBreaker.sleepWindowInMilliseconds", name(SpanForm.millis(), "circuitBreaker.sleepWindow"));
        all.put("metrics.rollingStats.timeInMilliseconds", name(SpanForm.millis(), "circuitBreaker.window"));
        for (Setting setting : SettingCatalogue.COMMANDS) {
            for (String hystrix : setting.hystrixNames()) {
                all.putIfAbsent(hystrix, name(setting.form(), setting.name()));
            }
        }
    }

    private static final Map<String, String> NONE_OF_COMMANDS = new LinkedHashMap<>();
    private static final Map<String, String> NONE_OF_POOLS = new LinkedHashMap<>();
    private static final Map<String, String> NONE_ELSEWHERE = new LinkedHashMap<>();

    static {
        Map<String, String> none = NONE_OF_COMMANDS;
        none.put(
                "execution.isolation.strategy",
                "where a body runs is part of the code: threadPool(...), semaphore(...) or virtualThreads(...)");
        String cancel = "a run that is cancelled interrupts its worker, as interruptOnTimeout says";
        none.put("execution.isolation.thread.interruptOnFutureCancel", cancel);
        none.put("execution.isolation.thread.interruptOnCancel", cancel);
        none.put(
                "fallback.isolation.semaphore.maxConcurrentRequests",
                "a stage has a bound of its own: stage.<stage>.atMost, or its thread pool's size");
        none.put("fallback.enabled", "a stage is taken out by stage.<stage>.out, or entered by stage.<stage>.on");
        String percentiles = "percentiles are always measured, over 60 s and without a sample size";
        none.put("metrics.rollingPercentile.enabled", percentiles);
        none.put("metrics.rollingPercentile.timeInMilliseconds", percentiles);
        none.put("metrics.rollingPercentile.numBuckets", percentiles);
        none.put("metrics.rollingPercentile.bucketSize", percentiles);
        none.put("metrics.healthSnapshot.intervalInMilliseconds", "the breaker looks at every call, not at snapshots");
        none.put("requestCache.enabled", "there is no request cache: the caches of a chain are copies, with an age");
        none.put("requestLog.enabled", "there is no request log: every result has its trail");
        none.put(
                "threadPoolKeyOverride",
                "which pool a command uses is part of the code: threadPool(p -> p.named(...))");

        NONE_OF_POOLS.put(
                "keepAliveTimeMinutes",
                "idle threads always end after a minute, which it sets in minutes with Hystrix");
        String figures = "the figures of a pool have no window to set";
        NONE_OF_POOLS.put("metrics.rollingStats.timeInMilliseconds", figures);
        NONE_OF_POOLS.put("metrics.rollingStats.numBuckets", figures);

        NONE_ELSEWHERE.put("hystrix.collapser.", "there are no collapsers");
        NONE_ELSEWHERE.put("hystrix.stream.", "streams are set where they are made, in code");
        NONE_ELSEWHERE.put("hystrix.config.stream.", "streams are set where they are made, in code");
        NONE_ELSEWHERE.put("hystrix.timer.", "the timer of a container is one thread");
        NONE_ELSEWHERE.put("hystrix.plugin.", "listeners and carriers are given to Commands.builder()");
    }

    private HystrixNames() {}

    private static Alias name(Form form, String setting) {
        return new Alias(form, setting);
    }

    private static Alias part(String name, Form form) {
        return new Alias(form, name);
    }

    /** The setting that what is kept under a name is about. */
    static String settingOf(String kept) {
        return switch (kept) {
            case TIMEOUT, TIMEOUT_ENABLED -> "timeout";
            case CORE_SIZE, MAXIMUM_SIZE, DIVERGES -> "size";
            case MAX_QUEUE, QUEUE_THRESHOLD -> "queue";
            default -> kept;
        };
    }

    /** Whether it is kept as a part that a setting is made up of. */
    static boolean isPart(String kept) {
        return !settingOf(kept).equals(kept);
    }

    static @Nullable Alias ofCommand(String rest) {
        return ALIASES_OF_COMMANDS.get(rest);
    }

    static @Nullable Alias ofPool(String rest) {
        return ALIASES_OF_POOLS.get(rest);
    }

    /** Why a property, that is no other name for a setting, does nothing. */
    static String whyNot(String property) {
        if (property.startsWith(COMMANDS)) {
            return why(NONE_OF_COMMANDS, property);
        }
        if (property.startsWith(POOLS)) {
            return why(NONE_OF_POOLS, property);
        }
        return NONE_ELSEWHERE.entrySet().stream()
                .filter(reason -> property.startsWith(reason.getKey()))
                .map(reason -> "has no counterpart: " + reason.getValue())
                .findFirst()
                .orElse("is nothing that Hystrix or Degradable knows");
    }

    private static String why(Map<String, String> reasons, String property) {
        return reasons.entrySet().stream()
                .filter(reason -> property.endsWith("." + reason.getKey()))
                .map(reason -> "has no counterpart: " + reason.getValue())
                .findFirst()
                .orElse("is nothing that Hystrix or Degradable knows");
    }
}
