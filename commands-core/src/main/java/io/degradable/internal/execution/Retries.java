package io.degradable.internal.execution;

import io.degradable.internal.stage.RetryBudget;
import io.degradable.internal.stage.Step;
import io.degradable.model.StageReason;
import io.degradable.settings.RetrySettings;
import io.degradable.time.Spans;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Whether and when a command tries its primary again. One exists for each command that does.
 *
 * <p>The pauses grow exponentially and are partly random, as in "Exponential Backoff And Jitter", AWS Architecture Blog,
 * 2015.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Retries {

    /** Stands for: the failure stands. */
    static final long NONE = -1;

    private static final long TOLD_EVERY_NANOS = 1_000_000_000;

    private final RetrySettings settings;
    private final @Nullable Predicate<? super Throwable> onFailure;
    private final RetryBudget budget;
    private final LongAdder retried;
    private final LongAdder overBudget;

    private final LongConsumer denied;
    private final AtomicLong toldNanos;

    /**
     * The retries of a command.
     *
     * @param onFailure which failures are worth one; null for all
     * @param denied told how many the budget has not allowed, once in a second at most
     */
    Retries(
            RetrySettings settings,
            @Nullable Predicate<? super Throwable> onFailure,
            long nowNanos,
            LongConsumer denied) {
        this(
                settings,
                onFailure,
                newBudget(settings, nowNanos),
                new LongAdder(),
                new LongAdder(),
                denied,
                new AtomicLong(nowNanos - TOLD_EVERY_NANOS));
    }

    private Retries(
            RetrySettings settings,
            @Nullable Predicate<? super Throwable> onFailure,
            RetryBudget budget,
            LongAdder retried,
            LongAdder overBudget,
            LongConsumer denied,
            AtomicLong toldNanos) {
        this.settings = settings;
        this.onFailure = onFailure;
        this.budget = budget;
        this.retried = retried;
        this.overBudget = overBudget;
        this.denied = denied;
        this.toldNanos = toldNanos;
    }

    private static RetryBudget newBudget(RetrySettings settings, long nowNanos) {
        return new RetryBudget(settings.budgetPercentage(), settings.budgetPerSecond(), nowNanos);
    }

    /** The same under other settings; the budget begins anew when it is another. */
    Retries retuned(RetrySettings other, long nowNanos) {
        boolean sameBudget = other.budgetPercentage() == settings.budgetPercentage()
                && other.budgetPerSecond() == settings.budgetPerSecond();
        return new Retries(
                other,
                onFailure,
                sameBudget ? budget : newBudget(other, nowNanos),
                retried,
                overBudget,
                denied,
                toldNanos);
    }

    /** A run begins. */
    void called() {
        budget.called();
    }

    /**
     * How long to pause before the next attempt; {@link #NONE} when there is to be none.
     *
     * @param failed how the last attempt ended
     * @param attempts how many there have been
     * @param leftNanos what is left for pause and attempt
     */
    long pauseAfter(Step<?, ?, ?> failed, int attempts, long leftNanos) {
        if (attempts >= settings.attempts() || !isWorthIt(failed)) {
            return NONE;
        }
        long pause = pauseNanos(attempts);
        if (pause >= leftNanos) {
            return NONE;
        }
        if (!budget.tryTake(failed.endNanos())) {
            deny(failed.endNanos());
            return NONE;
        }
        retried.increment();
        return pause;
    }

    private void deny(long nowNanos) {
        overBudget.increment();
        long last = toldNanos.get();
        if (nowNanos - last >= TOLD_EVERY_NANOS && toldNanos.compareAndSet(last, nowNanos)) {
            denied.accept(overBudget.sum());
        }
    }

    private boolean isWorthIt(Step<?, ?, ?> failed) {
        Throwable failure = failed.failure();
        return failed.reason() == StageReason.NULL_ANSWER
                || (failed.reason() == StageReason.EXCEPTION
                        && failure != null
                        && failed.guard().matches(onFailure, failure));
    }

    private long pauseNanos(int attempts) {
        long longest = Spans.nanos(settings.maxBackoff());
        long first = Spans.nanos(settings.backoff());
        long grown = first > longest >> (attempts - 1) ? longest : first << (attempts - 1);
        return (long)
                (grown * (1 - settings.jitter() * ThreadLocalRandom.current().nextDouble()));
    }

    /** Attempts beyond the first of their run. */
    long retried() {
        return retried.sum();
    }

    /** Retries that the budget did not allow. */
    long overBudget() {
        return overBudget.sum();
    }
}
