package io.degradable.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The settings of a breaker, taken apart by name and put together again. */
final class BreakerChoices {

    private BreakerChoices() {}

    /** Adds all of them, under names that begin with {@code prefix}. */
    static void read(BreakerSettings breaker, String prefix, Map<String, Object> values) {
        String name = prefix + SettingCatalogue.BREAKER;
        values.put(name + "enabled", breaker.enabled());
        values.put(name + "requestVolumeThreshold", breaker.requestVolumeThreshold());
        values.put(name + "errorThresholdPercentage", breaker.errorThresholdPercentage());
        values.put(name + "failureRate", breaker.failureRate());
        values.put(name + "slowRate", breaker.slowRate());
        values.put(name + "consecutiveFailures", breaker.consecutiveFailures());
        values.put(name + "window", breaker.window());
        values.put(name + "buckets", breaker.buckets());
        values.put(name + "countWindow", breaker.countWindow());
        values.put(name + "sleepWindow", breaker.sleepWindow());
        values.put(name + "maxSleepWindow", breaker.maxSleepWindow());
        values.put(name + "probes", breaker.probes());
        values.put(name + "probeSuccessPercentage", breaker.probeSuccessPercentage());
        values.put(name + "ramp.shares", breaker.rampShares());
        values.put(name + "ramp.decisions", breaker.rampDecisions());
    }

    static BreakerSettings make(Chosen chosen, String prefix) {
        String name = prefix + SettingCatalogue.BREAKER;
        Duration sleep = chosen.span(name + "sleepWindow");
        Duration most = BreakerSettings.DEFAULT.maxSleepWindow();
        List<Integer> shares = chosen.shares(name + "ramp.shares");
        return new BreakerSettings(
                chosen.truth(name + "enabled"),
                chosen.whole(name + "requestVolumeThreshold"),
                chosen.whole(name + "errorThresholdPercentage"),
                chosen.whole(name + "failureRate"),
                chosen.whole(name + "slowRate"),
                chosen.whole(name + "consecutiveFailures"),
                chosen.span(name + "window"),
                chosen.whole(name + "buckets"),
                chosen.whole(name + "countWindow"),
                sleep,
                chosen.isUnset(name + "maxSleepWindow")
                        ? sleep.compareTo(most) > 0 ? sleep : most
                        : chosen.span(name + "maxSleepWindow"),
                chosen.whole(name + "probes"),
                chosen.whole(name + "probeSuccessPercentage"),
                shares,
                chosen.whole(name + "ramp.decisions"));
    }
}
