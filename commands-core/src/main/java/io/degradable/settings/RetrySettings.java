package io.degradable.settings;

import java.time.Duration;

/**
 * How a command tries its primary again.
 *
 * @param attempts how often {@code run()} is tried at most, the first time included: 2 to 10; 1 for no retries
 * @param backoff longest pause before the second attempt; it doubles from attempt to attempt
 * @param maxBackoff longest pause before any attempt
 * @param jitter the share of a pause that is left to chance, 0 to 1: a pause is between (1 - jitter) of its length and all
 * @param budgetPercentage so many retries are allowed for each 100 calls of the command, 0 to 100
 * @param budgetPerSecond and so many a second whatever the calls are, more than 0
 */
public record RetrySettings(
        int attempts,
        Duration backoff,
        Duration maxBackoff,
        double jitter,
        int budgetPercentage,
        double budgetPerSecond) {

    private static final int MOST_ATTEMPTS = 10;

    /** No retries. */
    public static final RetrySettings NONE = new RetrySettings(1, Duration.ofMillis(1), Duration.ofMillis(1), 0, 0, 1);

    /** What retries are unless set, where there are any. */
    public static final RetrySettings DEFAULT =
            new RetrySettings(3, Duration.ofMillis(50), Duration.ofSeconds(1), 0.5, 10, 1);

    public RetrySettings {
        Require.that(
                attempts >= 1 && attempts <= MOST_ATTEMPTS,
                "retry.attempts must be from 2 to " + MOST_ATTEMPTS + ", the first included, was " + attempts);
        Require.positive("retry.backoff", backoff);
        Require.positive("retry.maxBackoff", maxBackoff);
        Require.that(
                maxBackoff.compareTo(backoff) >= 0,
                "retry.maxBackoff must not be below retry.backoff of " + Require.text(backoff) + ", was "
                        + Require.text(maxBackoff));
        Require.that(jitter >= 0 && jitter <= 1, "retry.jitter must be from 0 to 1, was " + jitter);
        Require.that(
                budgetPercentage >= 0 && budgetPercentage <= 100,
                "retry.budget must be a percentage from 0 to 100, was " + budgetPercentage);
        Require.that(
                budgetPerSecond > 0 && budgetPerSecond <= 1e6,
                "retry.budget per second must be more than 0 and at most a million, was " + budgetPerSecond);
    }

    /** Whether there are none. */
    public boolean areOff() {
        return attempts == 1;
    }
}
