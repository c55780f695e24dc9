package io.degradable.internal.execution;

import io.degradable.internal.execution.Flights.Flight;
import io.degradable.internal.guard.Attempt;
import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.CallContext;
import io.degradable.internal.guard.Driver;
import io.degradable.internal.guard.StackRoom;
import io.degradable.time.Timer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The asynchronous driver: nobody waits for an attempt; whoever decides it lets the run go on, on a thread of the
 * container's continuation executor.
 *
 * <p>One thread drives at a time. It is DRIVING until it has begun an attempt and armed its limit, then tries to leave. The
 * one who decides the attempt either finds nobody driving and sends the next driver, or tells the one who has not left yet.
 *
 * <pre>
 *   DRIVING --driver leaves--> LEFT --decided--> DRIVING (by the next driver)
 *   DRIVING --decided--> TOLD --driver would leave--> DRIVING (by the same driver)
 *   DRIVING --no memory for the next driver--> STRANDED --limit of the attempt--> DRIVING (by the next driver)
 * </pre>
 *
 * <p>Threading: {@link #start} belongs to the caller; {@link #decided} to whoever decides an attempt; {@link #cancel} to anybody.
 */
public final class AsyncExecution<C, R> implements Driver {

    private static final int DRIVING = 0;
    private static final int LEFT = 1;
    private static final int TOLD = 2;
    private static final int STRANDED = 3;

    private static final VarHandle BATON;

    static {
        try {
            BATON = MethodHandles.lookup().findVarHandle(AsyncExecution.class, "baton", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Container container;
    private final Run<C, R> run;
    private final Consumer<? super FinishedRun<R>> whenOver;
    private final Runnable nextDriver = this::driveOn; // made at once: later there may be no memory for it

    @SuppressWarnings("UnusedVariable") // read through BATON
    private volatile int baton = DRIVING;

    private volatile boolean cancelled;
    private volatile @Nullable Call<?> current;

    /** Goes on after a pause, once, whoever comes first: the timer, the canceller, or the container that closes. */
    private volatile @Nullable Runnable resumption;

    private volatile @Nullable Timer.Alarm pauseEnds;

    /** What the flight that is waited for is to tell. */
    private volatile @Nullable Runnable endsPause;

    // Written by the driver before it leaves, read by the next one.
    private @Nullable Timer.Alarm limit;
    private @Nullable Timer.Alarm queueLimit;

    AsyncExecution(
            Container container, CommandRuntime<C, R> command, C arguments, Consumer<? super FinishedRun<R>> whenOver) {
        this.container = container;
        this.run = new Run<>(command, arguments);
        this.whenOver = whenOver;
    }

    /**
     * Begins the run; bodies that run on their caller's thread have ended when it returns.
     *
     * @return false when the command is gone: look it up anew
     */
    boolean start() {
        StackRoom.forHandOver();
        if (!run.enter()) {
            return false;
        }
        run.beObserved();
        var unused = run.context(); // captured while the calling thread is the caller's, and as it was when he called
        advance(false);
        return true;
    }

    /** The caller has gone: what is under way is cancelled, and nothing more is begun. */
    public void cancel() {
        StackRoom.forHandOver(); // or it could stop half-way
        cancelled = true;
        Call<?> under = current;
        if (under != null) {
            under.cancel();
        }
        Runnable paused = resumption;
        if (paused != null) {
            container.goOnWith(paused);
        }
    }

    /** The attempt under way is decided. Called by the worker, the timer or the canceller, each of which goes at once. */
    @Override
    public void decided() {
        if (!BATON.compareAndSet(this, DRIVING, TOLD)) {
            goOn();
        }
    }

    private void goOn() {
        baton = DRIVING;
        try {
            container.goOn(nextDriver);
        } catch (Throwable noMemory) {
            baton = STRANDED;
        }
    }

    /** The alarm of the attempt under way, which is there already when memory is not. */
    private void limitReached(Attempt<?, ?> attempt) {
        attempt.expire();
        if (BATON.compareAndSet(this, STRANDED, DRIVING)) {
            goOn();
        }
    }

    private void driveOn() {
        run.context().runWith(() -> advance(true));
    }

    @Override
    public CallContext context() {
        return run.context();
    }

    /** What depends on the answer is no part of the run, and whoever follows the run does not take it for one. */
    private void advance(boolean decided) {
        boolean over = false;
        Runnable leave = run.beCurrent();
        try {
            over = drive(decided);
        } finally {
            try {
                leave.run();
            } finally {
                if (over) {
                    whenOver.accept(run);
                }
            }
        }
    }

    /** Drives until it has to wait; true when the run is over. */
    private boolean drive(boolean decided) {
        try {
            if (decided && current == null) {
                pauseEnds = disarmed(pauseEnds);
                forgetFlight();
                run.resume();
            } else if (decided) {
                endCurrent();
            }
            while (!run.isOver()) {
                if (run.isPausing()) {
                    pause();
                    return false;
                }
                if (!isDecidedHere(begin())) {
                    return false; // whoever decides sends the next driver
                }
                endCurrent();
            }
        } catch (Throwable lost) {
            run.lose(lost); // at the end of the memory, say: whoever waits must hear of it
        }
        return true;
    }

    private void pause() {
        Runnable goesOn = container.keep(nextDriver);
        resumption = goesOn;
        Runnable told = () -> container.goOnWith(goesOn);
        endsPause = told;
        pauseEnds = container.timer().schedule(told, run.resumeNanos());
        Flight flight = run.awaited();
        if (flight != null) {
            flight.whenEnded(told);
            if (endsPause != told) {
                flight.forget(told); // the pause was over before this was there for the next driver to forget
            }
        }
        if (cancelled || container.isClosed()) { // came in between
            container.goOnWith(goesOn);
        }
    }

    private void forgetFlight() {
        Flight flight = run.awaited();
        Runnable told = endsPause;
        if (flight != null && told != null) {
            flight.forget(told);
        }
        endsPause = null;
    }

    private Call<?> begin() {
        Call<?> call = run.begin(this, cancelled);
        current = call;
        if (cancelled) {
            call.cancel(); // came in between: the canceller may have seen the call before
        }
        return call;
    }

    private boolean isDecidedHere(Call<?> call) {
        if (call.isEnded() || !(call instanceof Attempt<?, ?> attempt)) {
            return true; // it never went to a worker, so nobody is going to tell
        }
        limit = container.timer().schedule(() -> limitReached(attempt), attempt.limitNanos());
        if (attempt.queueLimitNanos() != attempt.limitNanos()) {
            queueLimit = container.timer().schedule(attempt::expireInQueue, attempt.queueLimitNanos());
        }
        if (BATON.compareAndSet(this, DRIVING, LEFT)) {
            return false;
        }
        baton = DRIVING;
        return true;
    }

    private static @Nullable Timer.Alarm disarmed(@Nullable Timer.Alarm alarm) {
        if (alarm != null) {
            alarm.cancel();
        }
        return null;
    }

    private void endCurrent() {
        limit = disarmed(limit);
        queueLimit = disarmed(queueLimit);
        Call<?> decided = current;
        if (decided == null) {
            throw new IllegalStateException("no attempt is under way");
        }
        current = null;
        run.end(decided);
    }
}
