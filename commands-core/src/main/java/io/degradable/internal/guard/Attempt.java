package io.degradable.internal.guard;

import io.degradable.internal.breaker.Permit;
import io.degradable.internal.breaker.Verdict;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.time.Deadline;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * One call of a guard: the task a worker runs, the place its caller waits at, and afterwards the record of how it ended.
 * Worker and caller decide by one compare-and-set who of them does.
 *
 * <pre>
 *   state          event                               next           who, and what follows
 *   ------------   ---------------------------------   ------------   --------------------------------------------------
 *   QUEUED         a worker takes it                   RUNNING        worker: runs the body
 *   QUEUED         limit, deadline or interrupt        ABANDONED      caller: frees slot and queue; permit unused
 *   QUEUED         the container closes                DONE           closer: frees slot, wakes caller; permit unused
 *   RUNNING        the body ends                       DONE           worker: frees slot, wakes caller; caller settles
 *   RUNNING        limit, interrupting                 INTERRUPTING   caller: permit bad, interrupts the worker
 *   RUNNING        deadline, interrupting              INTERRUPTING   caller: leaves the permit to the body, interrupts
 *   RUNNING        caller interrupted                  INTERRUPTING   caller: permit unused, interrupts the worker
 *   RUNNING        any of the three, not interrupting  LEFT           as above without the interrupt
 *   INTERRUPTING   the interrupt is delivered          LEFT           caller: goes its way
 *   INTERRUPTING   the body ends                       (same)         worker: frees slot, waits for LEFT, clears its flag
 *   LEFT           the body ends                       (same)         worker: frees slot, books a late end, clears flag
 *   ABANDONED      a worker takes it                   (same)         worker: drops it
 * </pre>
 *
 * <p>INTERRUPTING is there so that the interrupt cannot land in the worker's next task.
 *
 * @param <C> the command
 * @param <V> what the body yields
 */
public final class Attempt<C, V> implements Runnable {

    private static final int QUEUED = 0;
    private static final int RUNNING = 1;
    private static final int DONE = 2;
    private static final int ABANDONED = 3;
    private static final int INTERRUPTING = 4;
    private static final int LEFT = 5;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Attempt.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Set before the attempt is handed to a worker.
    private final Guard guard;
    private final Body<C, V> body;
    private final C command;
    private final @Nullable FallbackContext context;
    private final long startNanos;
    private @Nullable Permit permit;
    private @Nullable Thread caller;
    private long limitNanos;
    private boolean limitIsDeadline;

    private volatile int state;

    // Written by whoever runs the body, before the state moves to DONE.
    private @Nullable Thread worker;
    private @Nullable V value;
    private @Nullable StageReason bodyReason;
    private @Nullable Throwable bodyFailure;
    private long bodyEndNanos;

    // Written by the caller: how the attempt ended for it.
    private @Nullable StageReason leftFor;
    private @Nullable StageReason reason;
    private long endNanos;
    private boolean bodyStarted;
    private boolean overrun;

    Attempt(Guard guard, Body<C, V> body, C command, @Nullable FallbackContext context, long startNanos) {
        this.guard = guard;
        this.body = body;
        this.command = command;
        this.context = context;
        this.startNanos = startNanos;
    }

    // ---- how it ended, for the caller ----

    public StageReason reason() {
        StageReason ended = reason;
        if (ended == null) {
            throw new IllegalStateException("the attempt has not ended");
        }
        return ended;
    }

    public boolean answered() {
        return reason == StageReason.ANSWER;
    }

    /** What the body returned. */
    public @Nullable V value() {
        return value;
    }

    /** What the body threw, when that is how it ended for the caller. */
    public @Nullable Throwable failure() {
        return reason == bodyReason || overrun ? bodyFailure : null;
    }

    public boolean bodyStarted() {
        return bodyStarted;
    }

    public long startNanos() {
        return startNanos;
    }

    public long endNanos() {
        return endNanos;
    }

    /** Whether the body ended after the limit, on the caller's own thread, which could not leave. */
    public boolean overrun() {
        return overrun;
    }

    // ---- steps of the guard, on the caller's thread ----

    /** Ends it before a body was run. */
    Attempt<C, V> endUnstarted(StageReason why) {
        reason = why;
        endNanos = startNanos;
        return this;
    }

    /** The earlier of the guard's limit and the deadline of the run ends the wait. */
    void admit(Permit granted, long ownLimitNanos, long deadlineNanos) {
        permit = granted;
        limitIsDeadline = deadlineNanos - ownLimitNanos < 0;
        limitNanos = limitIsDeadline ? deadlineNanos : ownLimitNanos;
    }

    /** Runs the body on the caller's thread. */
    void runHere(boolean limited) {
        bodyStarted = true;
        Deadline before = enterDeadline();
        try {
            runBody();
        } finally {
            Deadline.restore(before);
        }
        bodyEndNanos = guard.now();
        endNanos = bodyEndNanos;
        overrun = limited && bodyEndNanos - limitNanos > 0;
        if (bodyFailure instanceof InterruptedException) {
            // Thrown on the caller's own thread: it is the caller who was interrupted.
            Thread.currentThread().interrupt();
            bodyReason = StageReason.CANCELLED;
        }
        boolean failedLate = overrun && bodyReason == StageReason.EXCEPTION;
        reason = failedLate ? limitReason() : bodyReason;
    }

    /** Runs the body on a thread of the pool and waits for it, but no longer than to the limit. */
    void runOn(ThreadPoolBulkhead pool) {
        caller = Thread.currentThread();
        if (!startOn(pool)) {
            return;
        }
        while (state != DONE) {
            if (Thread.currentThread().isInterrupted()) {
                if (leave(pool, StageReason.CANCELLED, guard.now())) {
                    return;
                }
                break;
            }
            guard.await(this, limitNanos);
            if (state != DONE) {
                long now = guard.now();
                if (now - limitNanos >= 0 && leave(pool, limitReason(), now)) {
                    return;
                }
            }
        }
        bodyStarted = worker != null;
        reason = bodyReason;
        endNanos = bodyEndNanos;
    }

    private boolean startOn(ThreadPoolBulkhead pool) {
        StageReason noThread;
        try {
            pool.start(this);
            return true;
        } catch (RejectedExecutionException closed) {
            noThread = StageReason.CANCELLED;
        } catch (Throwable outOfThreads) {
            noThread = StageReason.THREAD_POOL_FULL; // the system's limit is as good a reason as ours
        }
        if (!abandon(pool)) {
            return true; // it was queued before the trouble, and an older worker has taken it
        }
        endUnstarted(noThread);
        return false;
    }

    /** Takes back a body that has not started; false when it has. */
    private boolean abandon(ThreadPoolBulkhead pool) {
        if (!STATE.compareAndSet(this, QUEUED, ABANDONED)) {
            return false;
        }
        pool.remove(this);
        pool.exit();
        return true;
    }

    private StageReason limitReason() {
        return limitIsDeadline ? StageReason.BUDGET : StageReason.TIMEOUT;
    }

    /** The caller goes without an answer; false when the body ended first. */
    private boolean leave(ThreadPoolBulkhead pool, StageReason why, long now) {
        leftFor = why;
        if (!abandon(pool)) {
            guard.meter().bodyOrphaned();
            boolean interrupts = guard.settings().interruptOnTimeout();
            if (!STATE.compareAndSet(this, RUNNING, interrupts ? INTERRUPTING : LEFT)) {
                guard.meter().orphanEnded();
                return false;
            }
            bodyStarted = true;
            if (interrupts) {
                Thread running = worker;
                if (running != null) {
                    running.interrupt();
                }
                state = LEFT;
            }
        }
        reason = why;
        endNanos = now;
        return true;
    }

    /** Gives the permit back with what the attempt has shown. */
    void settle() {
        Permit held = permit;
        if (held != null && !(reason == StageReason.BUDGET && state == LEFT)) {
            held.settle(guard.verdict(overrun ? bodyReason : reason, bodyStarted, endNanos - startNanos), endNanos);
        }
    }

    // ---- the worker ----

    /** The body, on a thread of the pool. */
    @Override
    public void run() {
        worker = Thread.currentThread();
        if (!STATE.compareAndSet(this, QUEUED, RUNNING)) {
            return; // abandoned: slot and permit are given back already
        }
        Deadline before = enterDeadline();
        runBody();
        Deadline.restore(before);
        bodyEndNanos = guard.now();
        guard.bulkhead().exit(); // before the answer shows, or the next call of its reader could be refused falsely
        if (STATE.compareAndSet(this, RUNNING, DONE)) {
            LockSupport.unpark(caller);
        } else {
            endLate();
        }
        Thread.interrupted(); // whoever interrupted meant this body, not the worker's next one
    }

    private void endLate() {
        while (state == INTERRUPTING) {
            Thread.onSpinWait();
        }
        guard.meter().orphanEnded();
        guard.meter().lateEnd(bodyReason == StageReason.ANSWER);
        Permit held = permit;
        if (held != null && leftFor == StageReason.BUDGET) {
            // A body that failed because we interrupted it says nothing of the dependency.
            boolean ourDoing = guard.settings().interruptOnTimeout() && bodyReason != StageReason.ANSWER;
            held.settle(
                    ourDoing ? Verdict.UNUSED : guard.verdict(bodyReason, true, bodyEndNanos - startNanos),
                    bodyEndNanos);
        }
    }

    private Deadline enterDeadline() {
        return Deadline.at(guard.ticker(), limitNanos).enter();
    }

    private void runBody() {
        try {
            value = body.call(command, context);
            bodyReason = body.judge(value);
        } catch (Throwable failure) {
            bodyFailure = failure;
            bodyReason = StageReason.FATAL;
            try {
                bodyReason = guard.classify(failure);
            } catch (Throwable noStackLeft) {
                // What is at the end of its stack is fatal, and the rules cannot be asked there.
            }
        }
    }

    /** Ends it because the container closes; its caller sees a cancellation. */
    public void cancelUnstarted() {
        // No worker has this attempt any more, so the body's fields are free to write.
        bodyReason = StageReason.CANCELLED;
        bodyEndNanos = guard.now();
        if (STATE.compareAndSet(this, QUEUED, DONE)) {
            guard.bulkhead().exit();
            LockSupport.unpark(caller);
        }
    }

    /** For messages: how it ended. */
    @Override
    public String toString() {
        StageReason ended = reason;
        return "Attempt[" + (ended == null ? "running" : ended) + "]";
    }

    /** How it ended, coarsely. */
    public StageOutcome outcome() {
        return reason().outcome();
    }
}
