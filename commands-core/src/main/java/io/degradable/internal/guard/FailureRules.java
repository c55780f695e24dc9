package io.degradable.internal.guard;

import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.StageReason;
import io.degradable.model.TemporaryRefusalException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
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
     * Rules that take a broken or timed-out exchange with another party for an unknown outcome, unless the connection was
     * never made, and a write inside the body whose own outcome is unknown; and nothing else.
     */
    public FailureRules(
            Predicate<? super Throwable> ignored,
            Predicate<? super Throwable> fatal,
            Predicate<? super Throwable> overloaded,
            @Nullable Predicate<? super Throwable> fallbackOn) {
        this(ignored, fatal, overloaded, fallbackOn, FailureRules::isUnknown);
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

    /** The first in the chain of causes that says something of it decides: others only wrap. */
    private static boolean isUnknown(Throwable failure) {
        Throwable one = failure;
        for (int depth = 0; one != null && depth < 32; depth++) { // a chain of causes may have a loop
            if (one instanceof CommandException nested && nested.outcomeUnknown()) {
                return true;
            }
            if (isNotConnected(one)) {
                return false;
            }
            if (one instanceof IOException || one instanceof TimeoutException || one instanceof InterruptedException) {
                return !isNotConnectedInside(one);
            }
            one = one.getCause();
        }
        return false;
    }

    /** An IOException of a client can wrap the one that says that there was no connection. */
    private static boolean isNotConnectedInside(Throwable failure) {
        Throwable one = failure.getCause();
        for (int depth = 0; one != null && depth < 32; depth++) {
            if (isNotConnected(one)) {
                return true;
            }
            one = one.getCause();
        }
        return false;
    }

    /** Nothing can have been sent. The JDK's HTTP client is named only, since a runtime image may lack its module. */
    private static boolean isNotConnected(Throwable failure) {
        return failure instanceof ConnectException
                || failure instanceof NoRouteToHostException
                || failure instanceof UnknownHostException
                || failure.getClass().getName().equals("java.net.http.HttpConnectTimeoutException");
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

    /** What a rule of the user says; one that throws counts as matching. */
    static boolean matches(Predicate<? super Throwable> rule, Throwable failure, Runnable mistakes) {
        try {
            return rule.test(failure);
        } catch (Throwable mistake) {
            mistakes.run(); // counted and shown; the user's own failure is what the caller has to see
            return true;
        }
    }
}
