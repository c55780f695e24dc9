package io.degradable.internal.guard;

import io.degradable.internal.breaker.Permit;
import io.degradable.internal.breaker.Verdict;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.Task;
import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.internal.guard.CallState.Event;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.time.Deadline;
import io.degradable.time.Spans;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * One call of a guard: the task a worker runs, the place its caller waits at, and afterwards the record of how it ended.
 * {@link CallState} says who decides; this executes it.
 *
 * <p>Threading: {@link #run} belongs to the worker. {@link #expire} and {@link #cancel} may be called by anybody.
 * Everything else belongs to the driver of the run, which is one thread at a time.
 *
 * @param <C> the command
 * @param <V> what the body yields
 */
public final class Attempt<C, V> extends Call<V> implements Task {

    private static final CallState[] STATES = CallState.values();
    private static final int CAUSE_SHIFT = 8;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Attempt.class, "word", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Set before the attempt is handed to a worker.
    private final Guard guard;
    private final Body<C, V> body;
    private final C command;
    private final @Nullable FallbackContext context;
    private @Nullable Permit permit;
    private long limitNanos;
    private boolean limitIsDeadline;
    private long queueLimitNanos;

    /** Who is told when somebody else has decided. */
    private @Nullable Driver driver;

    // Set before the body can run: what it takes along to the worker, and its deadline there.
    private @Nullable CallContext carried;
    private Deadline deadline = Deadline.NONE;

    /** The state, and the event for which the caller left: one word, so that they change together. */
    private volatile int word;

    // Written by whoever runs the body, before it moves the state.
    private @Nullable Thread worker;
    private @Nullable StageReason bodyReason;
    private long bodyEndNanos;

    Attempt(Guard guard, Body<C, V> body, C command, @Nullable FallbackContext context, long startNanos) {
        this.guard = guard;
        this.body = body;
        this.command = command;
        this.context = context;
        this.startNanos = startNanos;
    }

    @Override
    public @Nullable Throwable failure() {
        return reason == bodyReason ? bodyFailure : null;
    }

    // ---- steps of the guard, on the driver's thread ----

    /** The earlier of the guard's limit and the deadline of the run ends the wait. */
    void admit(Permit granted, long ownLimitNanos, long deadlineNanos, long queueNanos) {
        permit = granted;
        limitIsDeadline = deadlineNanos - ownLimitNanos < 0;
        limitNanos = limitIsDeadline ? deadlineNanos : ownLimitNanos;
        queueLimitNanos = Spans.earlier(limitNanos, startNanos + queueNanos);
    }

    /**
     * Hands the body to a worker.
     *
     * @param toTell is told when somebody else has decided
     */
    void startOn(WorkerBulkhead workers, Driver toTell) {
        driver = toTell;
        carried = toTell.context();
        deadline = Deadline.ofBody(guard.ticker(), limitNanos, carried.parent(), carried);
        StageReason noThread;
        try {
            workers.start(this);
            return;
        } catch (RejectedExecutionException closed) {
            noThread = StageReason.CANCELLED;
        } catch (Throwable outOfThreads) {
            noThread = StageReason.THREAD_POOL_FULL; // the system's limit is as good a reason as ours
        }
        // Lost only when it was queued before the trouble and an older worker has taken it: then it runs as any other.
        if (move(Event.CANCELLED) == CallState.ABANDONED) {
            withdraw();
            endUnstarted(noThread);
        }
    }

    /** Whether somebody has decided how it ends, so that {@link Guard#finish} may be called. */
    private boolean isDecided() {
        CallState now = state();
        return now != CallState.QUEUED && now != CallState.RUNNING;
    }

    /** When {@link #expire} is due, unless it is decided before. */
    public long limitNanos() {
        return limitNanos;
    }

    /** When {@link #expireInQueue} is due, unless a worker has it before; the same as the other limit when there is none. */
    public long queueLimitNanos() {
        return queueLimitNanos;
    }

    @Override
    public void await() {
        while (!isDecided()) {
            if (Thread.currentThread().isInterrupted()) {
                leave(Event.CANCELLED);
                return;
            }
            CallState now = state();
            guard.await(this, now == CallState.QUEUED ? queueLimitNanos : limitNanos);
            if (!isDecided()) {
                leaveAtLimit(guard.now());
            }
        }
    }

    private void leaveAtLimit(long now) {
        if (now - limitNanos >= 0) {
            leave(limitEvent());
        } else if (now - queueLimitNanos >= 0 && state() == CallState.QUEUED) {
            leave(Event.QUEUE_TIMED_OUT);
        }
    }

    /** The limit is reached: nobody waits any more. */
    public void expire() {
        if (leave(limitEvent())) {
            tellDriver();
        }
    }

    /** The longest wait for a worker is over. */
    public void expireInQueue() {
        if (leave(Event.QUEUE_TIMED_OUT)) {
            tellDriver();
        }
    }

    /** The caller has gone, or the container closes: nobody waits any more. */
    @Override
    public void cancel() {
        if (leave(Event.CANCELLED)) {
            tellDriver();
        }
    }

    private Event limitEvent() {
        return limitIsDeadline ? Event.OUT_OF_BUDGET : Event.TIMED_OUT;
    }

    /** Decides that it ends without an answer; false when somebody else has decided before. */
    private boolean leave(Event why) {
        guard.meter().bodyOrphaned(); // before the body's end can say that it is one no more
        CallState moved = move(why);
        if (moved != CallState.LEFT) {
            guard.meter().orphanEnded();
        }
        if (moved == CallState.ABANDONED) {
            withdraw();
        } else if (moved == CallState.LEFT && guard.settings().interruptOnTimeout()) {
            guard.handOverInterrupt(this::interruptBody);
        }
        return moved != null;
    }

    private void interruptBody() {
        Thread running = worker;
        if (running == null || move(Event.INTERRUPT_BEGINS) == null) {
            return; // the body has ended since
        }
        try {
            running.interrupt();
        } catch (Throwable mistake) {
            guard.userMistake(); // of the channel that the body was blocked in, and that could not be closed
        }
        move(Event.INTERRUPT_DELIVERED);
        LockSupport.unpark(running); // it may have ended meanwhile, and wait for this
    }

    /** Takes an abandoned body out of the queue. */
    private void withdraw() {
        Bulkhead bulkhead = guard.bulkhead();
        if (bulkhead instanceof WorkerBulkhead workers) {
            workers.remove(this);
        }
        bulkhead.exit();
    }

    private void tellDriver() {
        Driver toTell = driver;
        if (toTell != null) {
            toTell.decided();
        }
    }

    /** Reads off how a decided attempt ended, and gives the permit back. */
    void close() {
        if (reason == null) {
            CallState decided = state();
            bodyStarted = decided != CallState.ABANDONED;
            if (decided == CallState.DONE) {
                reason = afterChecks();
                endNanos = bodyEndNanos;
            } else {
                reason = deadline.hasOpenChecks() && cause() != Event.CANCELLED
                        ? StageReason.FAILED_CLOSED
                        : reasonOf(cause());
                endNanos = guard.now();
            }
        }
        Permit held = permit;
        if (held != null && !isLeftToBody()) {
            Verdict verdict = guard.verdict(reason, bodyStarted, endNanos - startNanos);
            held.settle(verdict, startNanos, endNanos);
        }
    }

    /** A failure may be that of a check inside, whatever it looks like: nobody may answer for it. */
    private @Nullable StageReason afterChecks() {
        if (deadline.hasOpenChecks() && (bodyReason == StageReason.EXCEPTION || bodyReason == StageReason.OVERLOADED)) {
            bodyReason = StageReason.FAILED_CLOSED;
        }
        return bodyReason;
    }

    /** A body that only the deadline cut short says itself, at its end, how well the dependency is. */
    private boolean isLeftToBody() {
        CallState now = state();
        boolean ranOn = now == CallState.LEFT || now == CallState.INTERRUPTING || now == CallState.OVER;
        return ranOn && cause() == Event.OUT_OF_BUDGET;
    }

    private static StageReason reasonOf(Event left) {
        return switch (left) {
            case QUEUE_TIMED_OUT -> StageReason.QUEUE_TIMEOUT;
            case TIMED_OUT -> StageReason.TIMEOUT;
            case OUT_OF_BUDGET -> StageReason.BUDGET;
            default -> StageReason.CANCELLED;
        };
    }

    // ---- the worker ----

    /** The body, on a worker's thread. */
    @Override
    public void run() {
        worker = Thread.currentThread();
        if (move(Event.TAKEN) == null) {
            return; // abandoned: slot and permit are given back already
        }
        try {
            runBodyInContext();
        } catch (Throwable noMemory) {
            bodyFailure = noMemory;
            bodyReason = StageReason.FATAL;
        }
        deadline.bodyHasEnded = true;
        bodyEndNanos = guard.now();
        guard.bulkhead().exit(); // before the answer shows, or the next call of its reader could be refused falsely
        CallState ended = move(Event.BODY_ENDED);
        if (ended == CallState.DONE) {
            tellDriver();
        } else {
            endLate(ended == null);
        }
        Thread.interrupted(); // whoever interrupted meant this body, not the worker's next one
    }

    private void endLate(boolean interrupted) {
        while (state() == CallState.INTERRUPTING) {
            Thread.interrupted(); // or it could not park
            LockSupport.park(this);
        }
        guard.meter().orphanEnded();
        guard.meter().lateEnd(bodyReason == StageReason.ANSWER);
        Permit held = permit;
        if (held != null && cause() == Event.OUT_OF_BUDGET) {
            // A body that failed because we interrupted it says nothing of the dependency.
            boolean ourDoing = interrupted && bodyReason != StageReason.ANSWER;
            Verdict verdict = ourDoing ? Verdict.UNUSED : guard.verdict(bodyReason, true, bodyEndNanos - startNanos);
            held.settle(verdict, startNanos, bodyEndNanos);
        }
    }

    private void runBodyInContext() {
        Deadline before = deadline.enter();
        try {
            CallContext.Installed installed = Objects.requireNonNull(carried).install();
            try {
                runBody();
            } finally {
                installed.takeAway();
            }
        } finally {
            Deadline.restore(before);
        }
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

    // ---- the word ----

    private CallState state() {
        return STATES[word & ((1 << CAUSE_SHIFT) - 1)];
    }

    /** The event for which the caller left. */
    private Event cause() {
        return Event.of(word >>> CAUSE_SHIFT);
    }

    /** Applies an event: the one way to change the state. Returns the state it led to, null when it came too late. */
    private @Nullable CallState move(Event event) {
        while (true) {
            int before = word;
            CallState from = STATES[before & ((1 << CAUSE_SHIFT) - 1)];
            CallState to = from.after(event);
            if (to == from) {
                return null;
            }
            boolean leaves = to == CallState.LEFT || to == CallState.ABANDONED;
            int cause = leaves ? event.ordinal() : before >>> CAUSE_SHIFT;
            if (WORD.compareAndSet(this, before, to.ordinal() | cause << CAUSE_SHIFT)) {
                return to;
            }
        }
    }

    /** For messages: how it ended. */
    @Override
    public String toString() {
        StageReason ended = reason;
        return "Attempt[" + (ended == null ? state() : ended) + "]";
    }
}
