package io.degradable.internal.guard;

import io.degradable.internal.breaker.Permit;
import io.degradable.internal.breaker.Verdict;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.Task;
import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.internal.guard.CallState.Event;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageOutcome;
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
public final class Attempt<C, V> implements Task, Deadline.Body {

    private static final CallState[] STATES = CallState.values();
    private static final int CAUSE_SHIFT = 8;
    private static final VarHandle WORD;
    private static final VarHandle CHECKS;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Attempt.class, "word", int.class);
            CHECKS = MethodHandles.lookup().findVarHandle(Attempt.class, "openChecks", int.class);
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
    private long limitNanos;
    private boolean limitIsDeadline;
    private long queueLimitNanos;

    /** Checks that fail closed, begun inside the body and not answered: no stage may speak for this attempt then. */
    private volatile int openChecks;

    /** Who is told when somebody else has decided. */
    private @Nullable Driver driver;

    // Set before the body can run: whose body this one is a part of, and what it takes along to a worker.
    private @Nullable Attempt<?, ?> around;
    private @Nullable CallContext carried;

    /** The state, and the event for which the caller left: one word, so that they change together. */
    private volatile int word;

    // Written by whoever runs the body, before it moves the state.
    private @Nullable Thread worker;
    private @Nullable V value;
    private @Nullable StageReason bodyReason;
    private @Nullable Throwable bodyFailure;
    private long bodyEndNanos;
    private volatile boolean bodyHasEnded;

    // Written by the driver: how the attempt ended.
    private @Nullable StageReason reason;
    private long endNanos;
    private boolean bodyStarted;
    private boolean overrun;
    private boolean skipped;

    Attempt(Guard guard, Body<C, V> body, C command, @Nullable FallbackContext context, long startNanos) {
        this.guard = guard;
        this.body = body;
        this.command = command;
        this.context = context;
        this.startNanos = startNanos;
    }

    // ---- how it ended ----

    public StageReason reason() {
        StageReason ended = reason;
        if (ended == null) {
            throw new IllegalStateException("the attempt has not ended");
        }
        return ended;
    }

    /** How it ended, coarsely. */
    public StageOutcome outcome() {
        return reason().outcome();
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

    // ---- steps of the guard, on the driver's thread ----

    /** Ends it before a body was run. */
    Attempt<C, V> endUnstarted(StageReason why) {
        word = CallState.DONE.ordinal(); // nothing for a canceller to decide
        reason = why;
        endNanos = startNanos;
        return this;
    }

    /** Ends it before it was brought to the guard. */
    Attempt<C, V> skip(StageReason why) {
        skipped = true;
        return endUnstarted(why);
    }

    /** Whether its stage did not bring it to the guard, so that no figure of the guard may move. */
    public boolean isSkipped() {
        return skipped;
    }

    /** The earlier of the guard's limit and the deadline of the run ends the wait. */
    void admit(Permit granted, long ownLimitNanos, long deadlineNanos, long queueNanos) {
        permit = granted;
        limitIsDeadline = deadlineNanos - ownLimitNanos < 0;
        limitNanos = limitIsDeadline ? deadlineNanos : ownLimitNanos;
        queueLimitNanos = Spans.earlier(limitNanos, startNanos + queueNanos);
    }

    /** Runs the body on the caller's thread. */
    void runHere(boolean limited) {
        word = CallState.DONE.ordinal(); // nothing for a canceller to decide: the caller cannot leave
        bodyStarted = true;
        Deadline before = enterDeadline();
        around = around(before);
        try {
            runBody();
        } finally {
            bodyHasEnded = true; // before a call: there may be no stack left for one
            Deadline.restore(before);
        }
        bodyEndNanos = guard.now();
        endNanos = bodyEndNanos;
        overrun = limited && bodyEndNanos - limitNanos > 0;
        boolean failedInterrupted =
                bodyReason == StageReason.EXCEPTION && Thread.currentThread().isInterrupted();
        if (bodyFailure instanceof InterruptedException || failedInterrupted) {
            // On the caller's own thread: it is the caller who was interrupted, and he was not before.
            Thread.currentThread().interrupt();
            bodyReason = StageReason.CANCELLED;
        }
        boolean failedLate = overrun && bodyReason == StageReason.EXCEPTION && openChecks == 0;
        reason = failedLate ? reasonOf(limitEvent()) : afterChecks();
    }

    /**
     * Hands the body to a worker.
     *
     * @param toTell is told when somebody else has decided
     */
    void startOn(WorkerBulkhead workers, Driver toTell) {
        driver = toTell;
        carried = toTell.context();
        around = carried.around();
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

    /** Whether it ended without going to a worker, so that nobody is going to tell. */
    public boolean isEnded() {
        return reason != null;
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

    /** Waits on the thread that was to be told until it is decided, and decides when the limit or an interrupt comes. */
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

    /** The attempt whose body has a deadline; null when it has none. */
    public static @Nullable Attempt<?, ?> around(Deadline deadline) {
        return deadline.body() instanceof Attempt<?, ?> body ? body : null;
    }

    /** What the run carries along whose body the calling thread runs; null when it has not left its caller's thread. */
    public static @Nullable CallContext carriedHere() {
        for (Attempt<?, ?> body = around(Deadline.current()); body != null; body = body.around) {
            if (body.carried != null) {
                return body.carried;
            }
        }
        return null;
    }

    /** A check that fails closed cannot begin inside the body that the calling thread runs. */
    public static void checkIsImpossible() {
        Attempt<?, ?> body = around(Deadline.current());
        if (body != null) {
            body.checkBegins();
        }
    }

    /** A check that fails closed begins inside the body. */
    public void checkBegins() {
        addChecks(1);
    }

    /** No page around it may answer either. */
    private void addChecks(int more) {
        for (Attempt<?, ?> body = this; body != null; body = body.around) {
            CHECKS.getAndAdd(body, more);
        }
    }

    /** It has been answered. One that is not stays open: its failure may still be on its way out of the body. */
    public void checkAnswered() {
        addChecks(-1);
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
                reason = openChecks > 0 && cause() != Event.CANCELLED ? StageReason.FAILED_CLOSED : reasonOf(cause());
                endNanos = guard.now();
            }
        }
        Permit held = permit;
        if (held != null && !isLeftToBody()) {
            Verdict verdict = guard.verdict(overrun ? bodyReason : reason, bodyStarted, endNanos - startNanos);
            held.settle(verdict, startNanos, endNanos);
        }
    }

    /** A failure may be that of a check inside, whatever it looks like: nobody may answer for it. */
    private @Nullable StageReason afterChecks() {
        if (openChecks > 0 && bodyReason == StageReason.EXCEPTION) {
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
        bodyHasEnded = true;
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

    private Deadline enterDeadline() {
        return Deadline.of(this, guard.ticker(), limitNanos).enter();
    }

    @Override
    public boolean hasEnded() {
        return bodyHasEnded;
    }

    private void runBodyInContext() {
        Deadline before = enterDeadline();
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
