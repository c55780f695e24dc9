package io.degradable.internal.guard;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.time.Deadline;
import io.degradable.time.Lane;
import javax.annotation.Nullable;

/**
 * A call whose body runs on the thread of who calls, which cannot leave it. It has ended when the guard returns it. Who holds
 * a lane uses one record again and again; so references are written into it only when they change, since each such write
 * costs as much as an atomic operation in an old object.
 *
 * @param <V> what the body yields
 */
public class HereCall<V> extends Call<V> {

    /** Whether a check that fails closed was begun inside the body and not answered. */
    private boolean checkIsOpen;

    @Override
    public @Nullable Throwable failure() {
        return bodyFailure;
    }

    /** Takes over what a call on a lane has come to, so that it outlives that. */
    public HereCall<V> copy(@Nullable V itsValue) {
        HereCall<V> copy = new HereCall<>();
        copy.startNanos = startNanos;
        copy.endNanos = endNanos;
        copy.bodyStarted = bodyStarted;
        copy.overrun = overrun;
        copy.skipped = skipped;
        copy.reason = reason;
        copy.value = itsValue;
        copy.bodyFailure = bodyFailure;
        return copy;
    }

    /** Lets go of what belongs to the user. */
    public void clear() {
        if (bodyFailure != null) {
            bodyFailure = null;
        }
    }

    /** It is brought to the guard. */
    void begin(long atNanos) {
        clear();
        startNanos = atNanos;
        bodyStarted = false;
        overrun = false;
        checkIsOpen = false;
    }

    /** The record of a body that its stage did not even bring to the guard. */
    public static <V> HereCall<V> skipped(long atNanos, StageReason why) {
        HereCall<V> call = new HereCall<>();
        call.startNanos = atNanos;
        call.skipped = true;
        call.refuse(why);
        return call;
    }

    /**
     * The record of a call that was not made, since another one of the same has just been.
     *
     * @param failure what the body of that one threw
     */
    public static <V> HereCall<V> like(
            long atNanos, StageReason why, boolean bodyStarted, @Nullable Throwable failure) {
        HereCall<V> call = skipped(atNanos, why);
        call.bodyStarted = bodyStarted;
        call.bodyFailure = failure;
        return call;
    }

    private void end(StageReason why) {
        if (reason != why) {
            reason = why;
        }
    }

    /** Ends it before its body was run. */
    void refuse(StageReason why) {
        endNanos = startNanos;
        end(why);
    }

    /**
     * Runs the body.
     *
     * @param lane what the calling thread holds; null when it holds none
     * @param deadlineNanos when the run must be over; its guard's limit may be earlier
     * @param limited whether an end after the limit is an overrun
     * @return what the body yielded, which is not kept here
     */
    <C> @Nullable V run(
            Guard guard,
            @Nullable Lane lane,
            Body<C, V> body,
            C command,
            @Nullable FallbackContext context,
            long deadlineNanos,
            boolean limited) {
        bodyStarted = true;
        long ownLimitNanos = startNanos + guard.timeoutNanos();
        boolean limitIsDeadline = deadlineNanos - ownLimitNanos < 0;
        long limitNanos = limitIsDeadline ? deadlineNanos : ownLimitNanos;
        V yielded = lane == null
                ? callApart(guard, limitNanos, body, command, context)
                : callOn(lane, guard, limitNanos, body, command, context);
        endNanos = guard.now();
        overrun = limited && endNanos - limitNanos > 0;
        if (reason == StageReason.EXCEPTION || bodyFailure instanceof InterruptedException) {
            failed(limitIsDeadline);
        } else if (checkIsOpen && reason == StageReason.OVERLOADED) {
            reason = StageReason.FAILED_CLOSED; // the same: stages would be asked
        }
        return yielded;
    }

    /** Takes a constant for what the body yielded. */
    <C> @Nullable V take(Body<C, V> body) {
        bodyStarted = true;
        endNanos = startNanos;
        V constant = body.constant();
        end(body.judge(constant));
        return constant;
    }

    /** What an exception comes to, on the thread of who called. */
    private void failed(boolean limitIsDeadline) {
        if (bodyFailure instanceof InterruptedException
                || Thread.currentThread().isInterrupted()) {
            // It is the caller who was interrupted, and he was not before.
            Thread.currentThread().interrupt();
            reason = StageReason.CANCELLED;
        } else if (checkIsOpen) {
            reason = StageReason.FAILED_CLOSED; // it may be that of the check, whatever it looks like
        } else if (overrun) {
            reason = limitIsDeadline ? StageReason.BUDGET : StageReason.TIMEOUT;
        }
    }

    private <C> @Nullable V callOn(
            Lane lane, Guard guard, long limitNanos, Body<C, V> body, C command, @Nullable FallbackContext context) {
        lane.bodyBegins(guard.ticker(), limitNanos);
        try {
            return call(guard, body, command, context);
        } finally {
            Deadline asked = lane.bodyEnds();
            checkIsOpen = asked != null && asked.hasOpenChecks();
        }
    }

    private <C> @Nullable V callApart(
            Guard guard, long limitNanos, Body<C, V> body, C command, @Nullable FallbackContext context) {
        Deadline before = Deadline.current();
        Deadline own = Deadline.ofBody(guard.ticker(), limitNanos, before, null);
        Deadline.restore(own);
        try {
            return call(guard, body, command, context);
        } finally {
            own.bodyHasEnded = true; // before a call: there may be no stack left for one
            Deadline.restore(before);
            checkIsOpen = own.hasOpenChecks();
        }
    }

    private <C> @Nullable V call(Guard guard, Body<C, V> body, C command, @Nullable FallbackContext context) {
        try {
            V yielded = body.call(command, context);
            end(body.judge(yielded));
            return yielded;
        } catch (Throwable failure) {
            bodyFailure = failure;
            reason = StageReason.FATAL;
            try {
                reason = guard.classify(failure);
            } catch (Throwable noStackLeft) {
                // What is at the end of its stack is fatal, and the rules cannot be asked there.
            }
            return null;
        }
    }

    /** How the body itself ended, which is what the breaker learns from. */
    StageReason bodyReason() {
        boolean failedLate = overrun && outcome() == StageOutcome.TIMED_OUT;
        return failedLate ? StageReason.EXCEPTION : reason();
    }

    /** The record that a lane uses again and again. It is written with each call, so it keeps its distance from others. */
    public static final class OfLane<V> extends HereCall<V> {
        long p1;
        long p2;
        long p3;
        long p4;
        long p5;
        long p6;
        long p7;
        long p8;
    }
}
