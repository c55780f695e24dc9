package io.degradable;

import io.degradable.settings.Require;
import io.degradable.settings.RetrySettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * How a command tries its primary again, before its chain is entered. All attempts and pauses together have the command's
 * timeout; each asks breaker and bulkhead anew.
 */
public final class RetrySpec {

    private int attempts = 3;
    private Duration backoff = Duration.ofMillis(50);
    private Duration maxBackoff = Duration.ofSeconds(1);
    private double jitter = 0.5;
    private int budgetPercentage = 10;
    private double budgetPerSecond = 1;
    private @Nullable Predicate<? super Throwable> onFailure;

    RetrySpec() {}

    /** How often {@code run()} is tried at most, the first time included: 2 to 10; default 3. */
    public RetrySpec attempts(int attempts) {
        Require.that(attempts != 1, "retry.attempts must be from 2 to 10, the first included, was 1: leave retry out");
        this.attempts = attempts;
        return this;
    }

    /** The longest pause before the second attempt, which doubles from attempt to attempt, and the longest of all; default 50 ms and 1 s. */
    public RetrySpec backoff(Duration first, Duration longest) {
        this.backoff = Objects.requireNonNull(first, "backoff must not be null");
        this.maxBackoff = Objects.requireNonNull(longest, "longest backoff must not be null");
        return this;
    }

    /** The share of each pause that is left to chance, so that callers do not come back all at once: 0 to 1; default 0.5. */
    public RetrySpec jitter(double share) {
        this.jitter = share;
        return this;
    }

    /**
     * What all calls of the command together may add to the load of what is failing; default 10 % and 1 a second.
     *
     * @param percentage so many retries for each 100 calls, 0 to 100
     * @param perSecond and so many a second however few calls there are, more than 0
     */
    public RetrySpec budget(int percentage, double perSecond) {
        this.budgetPercentage = percentage;
        this.budgetPerSecond = perSecond;
        return this;
    }

    /** Which failures are worth another attempt, of those that the chain could answer for; default all. Null as a failure has no exception to ask for, and is one. */
    public RetrySpec onFailure(Predicate<? super Throwable> which) {
        this.onFailure = Objects.requireNonNull(which, "onFailure must not be null");
        return this;
    }

    RetrySettings settings() {
        return new RetrySettings(attempts, backoff, maxBackoff, jitter, budgetPercentage, budgetPerSecond);
    }

    @Nullable
    Predicate<? super Throwable> predicate() {
        return onFailure;
    }
}
