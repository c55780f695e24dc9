package io.degradable.internal.guard;

import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.StageReason;
import io.degradable.model.TemporaryRefusalException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Sorts what a body threw into classes. An explicit rule of the command beats the defaults; a rule that throws itself counts
 * as matching, so that a mistake in it shows in the class it was written for.
 *
 * @param ignored the request is wrong: neither counted nor answered by a stage
 * @param fatal counted, never answered by a stage
 * @param overloaded the dependency sheds load: not counted as its failure, answered like a rejection
 * @param fallbackOn what stages may answer for; null for everything
 * @param unknown failures of a write after which nobody knows whether it was done
 */
public record FailureRules(
        Predicate<? super Throwable> ignored,
        Predicate<? super Throwable> fatal,
        Predicate<? super Throwable> overloaded,
        @Nullable Predicate<? super Throwable> fallbackOn,
        Predicate<? super Throwable> unknown) {

    /**
     * Rules that take a timeout thrown by the body, and a write inside it whose own outcome is unknown, for an unknown
     * outcome, and nothing else.
     */
    public FailureRules(
            Predicate<? super Throwable> ignored,
            Predicate<? super Throwable> fatal,
            Predicate<? super Throwable> overloaded,
            @Nullable Predicate<? super Throwable> fallbackOn) {
        this(ignored, fatal, overloaded, fallbackOn, FailureRules::isTimeoutOrUnknownInside);
    }

    /** The rules of a command that says nothing. */
    public static final FailureRules DEFAULT = new FailureRules(t -> false, t -> false, t -> false, null);

    /**
     * The class of a failure.
     *
     * @param mistakes told of each rule that throws
     */
    public StageReason classify(Throwable failure, Runnable mistakes) {
        if (failure instanceof Exception && TemporaryRefusalException.in(failure) != null) {
            return StageReason.FAILED_CLOSED;
        }
        if (failure instanceof BadRequestException || matches(ignored, failure, mistakes)) {
            return StageReason.BAD_REQUEST;
        }
        if (failure instanceof Error || matches(fatal, failure, mistakes)) {
            return StageReason.FATAL;
        }
        if (isRefusalOfNestedCommand(failure) || matches(overloaded, failure, mistakes)) {
            return StageReason.OVERLOADED;
        }
        return fallbackOn == null || matches(fallbackOn, failure, mistakes)
                ? StageReason.EXCEPTION
                : StageReason.UNCLASSED;
    }

    /** Whether a write that failed so may have been done all the same. */
    public boolean leavesOutcomeUnknown(Throwable failure, Runnable mistakes) {
        return matches(unknown, failure, mistakes);
    }

    private static boolean isTimeoutOrUnknownInside(Throwable failure) {
        return failure instanceof TimeoutException
                || failure instanceof InterruptedIOException
                || isUnknownInside(failure);
    }

    private static boolean isUnknownInside(Throwable failure) {
        Throwable one = failure;
        for (int depth = 0; one != null && depth < 32; depth++) { // a chain of causes may have a loop
            if (one instanceof CommandException nested && nested.outcomeUnknown()) {
                return true;
            }
            one = one.getCause();
        }
        return false;
    }

    private static boolean isRefusalOfNestedCommand(Throwable failure) {
        return unwrapped(failure) instanceof CommandException nested
                && nested.outcome() == CallOutcome.REJECTED
                && !nested.outcomeUnknown();
    }

    /** Whoever waited for a future has what it failed with wrapped; it is the same failure. */
    public static @Nullable Throwable unwrapped(Throwable failure) {
        boolean wrapped = failure instanceof ExecutionException || failure instanceof CompletionException;
        return wrapped ? failure.getCause() : failure;
    }

    private static boolean matches(Predicate<? super Throwable> rule, Throwable failure, Runnable mistakes) {
        try {
            return rule.test(failure);
        } catch (Throwable mistake) {
            mistakes.run(); // counted and shown; the user's own failure is what the caller has to see
            return true;
        }
    }
}
