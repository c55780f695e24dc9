package io.degradable;

import io.degradable.settings.Require;
import io.degradable.settings.RetrySettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * How a command tries its primary again, before its chain is entered. All attempts and pauses together have the command's
 * timeout; each asks breaker and bulkhead anew.
 */
public final class RetrySpec {

    private int attempts = RetrySettings.DEFAULT.attempts();
    private Duration backoff = RetrySettings.DEFAULT.backoff();
    private Duration maxBackoff = RetrySettings.DEFAULT.maxBackoff();
    private double jitter = RetrySettings.DEFAULT.jitter();
    private int budgetPercentage = RetrySettings.DEFAULT.budgetPercentage();
    private double budgetPerSecond = RetrySettings.DEFAULT.budgetPerSecond();

    /** That there are retries at all is said by saying {@code retry(...)}. */
    private final Set<String> said = new HashSet<>(Set.of("retry.attempts"));

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
        said.addAll(Set.of("retry.backoff", "retry.maxBackoff"));
        this.backoff = Objects.requireNonNull(first, "backoff must not be null");
        this.maxBackoff = Objects.requireNonNull(longest, "longest backoff must not be null");
        return this;
    }

    /** The share of each pause that is left to chance, so that callers do not come back all at once: 0 to 1; default 0.5. */
    public RetrySpec jitter(double share) {
        said.add("retry.jitter");
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
        said.addAll(Set.of("retry.budgetPercentage", "retry.budgetPerSecond"));
        this.budgetPercentage = percentage;
        this.budgetPerSecond = perSecond;
        return this;
    }

    /** Which failures are worth another attempt, of those that the chain could answer for; default all. Null as a failure has no exception to ask for, and is one. */
    public RetrySpec onFailure(Predicate<? super Throwable> which) {
        this.onFailure = Objects.requireNonNull(which, "onFailure must not be null");
        return this;
    }

    /** The names of the settings that were set. */
    Set<String> said() {
        return said;
    }

    RetrySettings settings() {
        return new RetrySettings(attempts, backoff, maxBackoff, jitter, budgetPercentage, budgetPerSecond);
    }

    @Nullable
    Predicate<? super Throwable> predicate() {
        return onFailure;
    }
}
