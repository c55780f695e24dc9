package io.degradable.settings;

import io.degradable.time.Spans;
import java.time.Duration;

/**
 * What a breaker is set to.
 *
 * @param enabled false lets all calls through, unmeasured
 * @param requestVolumeThreshold how many measured calls the window needs before the breaker may open; default 20
 * @param errorThresholdPercentage share of failed or slow calls, 1 to 100, from which it opens; default 50
 * @param window what is looked at; default 10 s
 * @param buckets parts the window moves by; at least 2, the window must divide; default 10
 * @param sleepWindow how long it stays open the first time; default 5 s
 * @param maxSleepWindow what the open time grows to when probes keep failing; default 30 s
 * @param probes calls let through half-open, all of which may be in flight at once; default 5
 * @param probeSuccessPercentage share of the probes, 1 to 100, that must be good to close; default 80
 */
public record BreakerSettings(
        boolean enabled,
        int requestVolumeThreshold,
        int errorThresholdPercentage,
        Duration window,
        int buckets,
        Duration sleepWindow,
        Duration maxSleepWindow,
        int probes,
        int probeSuccessPercentage) {

    public static final BreakerSettings DEFAULT = new BreakerSettings(
            true, 20, 50, Duration.ofSeconds(10), 10, Duration.ofSeconds(5), Duration.ofSeconds(30), 5, 80);

    public static final BreakerSettings DISABLED = new BreakerSettings(
            false, 20, 50, Duration.ofSeconds(10), 10, Duration.ofSeconds(5), Duration.ofSeconds(30), 5, 80);

    public BreakerSettings {
        Require.positive("circuitBreaker.requestVolumeThreshold", requestVolumeThreshold);
        Require.percentage("circuitBreaker.errorThresholdPercentage", errorThresholdPercentage);
        Require.positive("circuitBreaker.window", window);
        Require.that(
                Spans.nanos(window) < Spans.FOREVER, "circuitBreaker.window must be below 146 years, was " + window);
        Require.that(buckets >= 2, "circuitBreaker.buckets must be at least 2, was " + buckets);
        Require.that(
                window.toNanos() % buckets == 0,
                "circuitBreaker.window of " + Require.text(window) + " does not divide into " + buckets + " buckets");
        Require.positive("circuitBreaker.sleepWindow", sleepWindow);
        Require.that(
                maxSleepWindow.compareTo(sleepWindow) >= 0,
                "circuitBreaker.maxSleepWindow of " + Require.text(maxSleepWindow) + " is below the sleepWindow of "
                        + Require.text(sleepWindow));
        Require.positive("circuitBreaker.probes", probes);
        Require.percentage("circuitBreaker.probeSuccessPercentage", probeSuccessPercentage);
    }

    /** How many of the probes must be good to close. */
    public int neededProbes() {
        return (probes * probeSuccessPercentage + 99) / 100;
    }
}
