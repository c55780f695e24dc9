package io.degradable.settings;

import io.degradable.time.Spans;
import java.time.Duration;
import java.util.List;

/**
 * What a breaker is set to. It opens when one of its rules says so; 0 switches a rule off, and one must be on.
 *
 * @param enabled false lets all calls through, unmeasured
 * @param requestVolumeThreshold how many measured calls the window needs before a rate may open it; default 20
 * @param errorThresholdPercentage share of failed or slow calls, 0 to 100, from which it opens; default 50
 * @param failureRate share of failed calls, 0 to 100, from which it opens; default 0, off
 * @param slowRate share of slow calls, 0 to 100, from which it opens; default 0, off
 * @param consecutiveFailures failed calls in a row from which it opens, whatever the volume; default 0, off
 * @param window what is looked at; default 10 s. With {@code countWindow}: how long a slow call in flight counts
 * @param buckets parts the window moves by; at least 2, the window must divide; default 10
 * @param countWindow how many of the last measured calls are looked at instead of the last while, 1 to 100,000, at least
 *     {@code requestVolumeThreshold}; default 0, off
 * @param sleepWindow how long it stays open the first time; default 5 s
 * @param maxSleepWindow what the open time grows to when probes keep failing; default 30 s
 * @param probes calls let through half-open, all of which may be in flight at once; default 5
 * @param probeSuccessPercentage share of the probes, 1 to 100, that must be good to go on to the ramp; default 80
 * @param rampShares shares of the calls let through one after the other before it closes, each 1 to 99 percent and above the
 *     one before; default 10, 25, 50; empty closes at once
 * @param rampDecisions calls that must have ended before the next share is let through, 1 to 10,000; default 20
 */
public record BreakerSettings(
        boolean enabled,
        int requestVolumeThreshold,
        int errorThresholdPercentage,
        int failureRate,
        int slowRate,
        int consecutiveFailures,
        Duration window,
        int buckets,
        int countWindow,
        Duration sleepWindow,
        Duration maxSleepWindow,
        int probes,
        int probeSuccessPercentage,
        List<Integer> rampShares,
        int rampDecisions) {

    /** The largest {@code countWindow}: it costs 8 bytes for each call. */
    public static final int LARGEST_COUNT_WINDOW = 100_000;

    private static final int MOST_RAMP_DECISIONS = 10_000;

    public static final BreakerSettings DEFAULT = byDefault(true);

    public static final BreakerSettings DISABLED = byDefault(false);

    private static BreakerSettings byDefault(boolean enabled) {
        return new BreakerSettings(
                enabled,
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
                20);
    }

    public BreakerSettings {
        Require.positive("circuitBreaker.requestVolumeThreshold", requestVolumeThreshold);
        percentageOrOff("circuitBreaker.errorThresholdPercentage", errorThresholdPercentage);
        percentageOrOff("circuitBreaker.failureRate", failureRate);
        percentageOrOff("circuitBreaker.slowRate", slowRate);
        Require.notNegative("circuitBreaker.consecutiveFailures", consecutiveFailures);
        Require.that(
                errorThresholdPercentage + failureRate + slowRate > 0 || consecutiveFailures > 0,
                "circuitBreaker has no rule to open by: errorThresholdPercentage, failureRate, slowRate and"
                        + " consecutiveFailures were all 0; noCircuitBreaker() is for that");
        Require.positive("circuitBreaker.window", window);
        Require.that(
                Spans.nanos(window) < Spans.FOREVER, "circuitBreaker.window must be below 146 years, was " + window);
        Require.that(buckets >= 2, "circuitBreaker.buckets must be at least 2, was " + buckets);
        Require.that(
                window.toNanos() % buckets == 0,
                "circuitBreaker.window of " + Require.text(window) + " does not divide into " + buckets + " buckets");
        Require.that(
                countWindow >= 0 && countWindow <= LARGEST_COUNT_WINDOW,
                "circuitBreaker.countWindow must be 1 to " + LARGEST_COUNT_WINDOW + " calls, or 0 for a window of time,"
                        + " was " + countWindow);
        Require.that(
                countWindow == 0 || requestVolumeThreshold <= countWindow,
                "circuitBreaker.requestVolumeThreshold of " + requestVolumeThreshold + " is above the countWindow of "
                        + countWindow + ", so the breaker would never open");
        Require.positive("circuitBreaker.sleepWindow", sleepWindow);
        Require.that(
                maxSleepWindow.compareTo(sleepWindow) >= 0,
                "circuitBreaker.maxSleepWindow of " + Require.text(maxSleepWindow) + " is below the sleepWindow of "
                        + Require.text(sleepWindow));
        Require.positive("circuitBreaker.probes", probes);
        Require.percentage("circuitBreaker.probeSuccessPercentage", probeSuccessPercentage);
        rampShares = List.copyOf(rampShares);
        int below = 0;
        for (int share : rampShares) {
            Require.that(
                    share > below && share < 100,
                    "circuitBreaker.ramp must grow, each share being 1 to 99 percent, was " + rampShares);
            below = share;
        }
        Require.that(
                rampDecisions >= 1 && rampDecisions <= MOST_RAMP_DECISIONS,
                "circuitBreaker.ramp must take 1 to " + MOST_RAMP_DECISIONS + " decisions for each share, was "
                        + rampDecisions);
    }

    /** The plain breaker: a window of time, the rule on failed or slow calls alone, and no ramp before it closes. */
    public BreakerSettings(
            boolean enabled,
            int requestVolumeThreshold,
            int errorThresholdPercentage,
            Duration window,
            int buckets,
            Duration sleepWindow,
            Duration maxSleepWindow,
            int probes,
            int probeSuccessPercentage) {
        this(
                enabled,
                requestVolumeThreshold,
                Require.percentage("circuitBreaker.errorThresholdPercentage", errorThresholdPercentage),
                0,
                0,
                0,
                window,
                buckets,
                0,
                sleepWindow,
                maxSleepWindow,
                probes,
                probeSuccessPercentage,
                List.of(),
                DEFAULT.rampDecisions);
    }

    private static void percentageOrOff(String field, int value) {
        if (value != 0) {
            Require.percentage(field, value);
        }
    }

    /** How many of the probes must be good to go on to the ramp. */
    public int neededProbes() {
        return (int) (((long) probes * probeSuccessPercentage + 99) / 100);
    }
}
