package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.internal.execution.Flights.Flight;
import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.CallContext;
import io.degradable.internal.guard.Driver;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.guard.GuardMeter;
import io.degradable.internal.guard.HereCall;
import io.degradable.internal.stage.Entrance;
import io.degradable.internal.stage.Route;
import io.degradable.internal.stage.Stage;
import io.degradable.internal.stage.Step;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.settings.Effect;
import io.degradable.time.Deadline;
import io.degradable.time.Spans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * One run: what was tried, and what comes next. The drivers ask {@link #begin}, wait in their own way, say {@link #end}, and
 * do so again until the run {@link #isOver}; all decisions are here.
 *
 * <p>Threading: used by its driver, which is one thread at a time.
 */
final class Run<C, R> implements FinishedRun<R>, Driver, Entrance {

    private final CommandRuntime<C, R> command;
    private final Wiring<C, R> wiring;
    private final C arguments;
    private final long startNanos;
    private final long deadlineNanos;
    private final List<Step<C, ?, R>> trail = new ArrayList<>(2);

    /** What has ended before the run came to its driver; what comes after that is to be begun. */
    private final List<Call<?>> ended;

    /** What is being tried: 0 for the primary, then the chain from 1 on. */
    private int place;

    /** Whether a body that writes started and nobody waited for its end. */
    private boolean outcomeUnknown;

    /** What was begun last. */
    private @Nullable Call<?> underWay;

    /** When what ended last ended. */
    private long nowNanos;

    private Route route = Route.FULL;
    private @Nullable Refresh<C, R> refresh;
    private @Nullable Retrying<C, R> retrying;
    private boolean admitted;
    private boolean allRefused = true;
    private long chainEndNanos;
    private @Nullable FallbackContext fallbackContext;
    private boolean thrownUnchanged;

    // Fields, for who has no stack left to call a method.
    boolean counted;

    @Nullable
    FinishedCall finished;

    private @Nullable Throwable lostTo;

    /** Whose body this check is a part of. */
    private final @Nullable Deadline around;

    private long callId;

    // Of the synchronous driver, once a worker is needed.
    private @Nullable Thread waiter;
    private @Nullable CallContext carried;

    private @Nullable Observers.Observed observed;

    /** A primary that is tried again. */
    private static final class Retrying<C, R> {

        private Step<C, ?, R> failed;
        private int attempts = 1;
        private long resumeNanos;
        private boolean pausing;

        Retrying(Step<C, ?, R> failed) {
            this.failed = failed;
        }
    }

    Run(CommandRuntime<C, R> command, C arguments) {
        this(command, command.wiring(), arguments, command.ticker().nanos(), Deadline.current(), List.of());
    }

    /**
     * One that has begun on a lane, outside every other run, and is counted in.
     *
     * @param ended what has ended there, from the primary on
     */
    Run(CommandRuntime<C, R> command, Wiring<C, R> wiring, C arguments, long startNanos, List<Call<?>> ended) {
        this(command, wiring, arguments, startNanos, Deadline.NONE, ended);
        this.counted = true;
    }

    private Run(
            CommandRuntime<C, R> command,
            Wiring<C, R> wiring,
            C arguments,
            long startNanos,
            Deadline parent,
            List<Call<?>> ended) {
        this.command = command;
        this.wiring = wiring;
        this.arguments = arguments;
        this.startNanos = startNanos;
        this.nowNanos = startNanos;
        this.deadlineNanos = wiring.deadline(parent, startNanos);
        this.around = command.effect() == Effect.FAIL_CLOSED && parent != Deadline.NONE ? parent : null;
        this.ended = ended;
    }

    /**
     * Counts the run in, before it begins.
     *
     * @return false when the command is gone: look it up anew
     * @throws IllegalStateException when the container is closed
     */
    boolean enter() {
        wiring.primary().guard().ensureStackRoom();
        if (around != null) {
            around.checkBegins(); // also of one that is turned away: the page around it must not answer
        }
        counted = command.enter();
        RouteRule rule = wiring.route();
        route = rule.of(rule.needsId() ? callId() : 0);
        ShortCut<C, R> shortCut = wiring.shortCut();
        if (counted && shortCut != null && route.isFull()) {
            refresh = new Refresh<>(shortCut, arguments, wiring.primary().guard()::userMistake);
        }
        if (!counted && around != null) {
            around.checkAnswered(); // by another run, which is to come
        }
        return counted;
    }

    /** Lets those who follow runs know, once it has entered, on the thread of the caller. */
    void beObserved() {
        Observers observers = command.container().observers();
        if (observers != null) {
            observed = observers.begins(command.key());
        }
        if (observed != null || command.container().needsContext()) {
            var unused = context(); // while the thread is the caller's and is as it was when he called
        }
    }

    /**
     * Makes it the current one on the calling thread, for those who follow it.
     *
     * @return ends that
     */
    Runnable beCurrent() {
        try {
            return observed == null ? Run::nothing : observed.install();
        } catch (Throwable noMemory) {
            return Run::nothing; // it goes on, followed or not
        }
    }

    private static void nothing() {}

    /** What the run takes along, captured when it is asked for the first time. */
    @Override
    public CallContext context() {
        if (carried == null) {
            waiter = Thread.currentThread();
            Guard primary = wiring.primary().guard();
            carried = CallContext.capture(command.container().carriers(), observed, primary::userMistake);
        }
        return carried;
    }

    /** Wakes the thread that drives and waits. */
    @Override
    public void decided() {
        LockSupport.unpark(waiter);
    }

    /**
     * Begins what comes next.
     *
     * @param toTell see {@code Guard.begin}
     * @param cancelled whether the caller has gone, so that nothing must begin
     */
    Call<?> begin(Driver toTell, boolean cancelled) {
        if (place < ended.size()) {
            return ended.get(place);
        }
        underWay = null;
        underWay = beginNext(toTell, cancelled);
        return underWay;
    }

    private Call<?> beginNext(Driver toTell, boolean cancelled) {
        if (cancelled) {
            if (refresh != null) {
                refresh.leave();
            }
            return HereCall.skipped(nowNanos, StageReason.CANCELLED);
        }
        if (refresh != null && refresh.looks()) {
            return refresh.begin(arguments, nowNanos, deadlineNanos, toTell);
        }
        if (place == 0) {
            return retrying == null ? beginPrimary(toTell) : retryPrimary(retrying, toTell);
        }
        return stage().beginNext(arguments, this, nowNanos, chainEndNanos, toTell);
    }

    private Call<?> beginPrimary(Driver toTell) {
        StageReason notAsked = route.why();
        if (notAsked != null) {
            return HereCall.skipped(nowNanos, notAsked);
        }
        Call<R> instead = refresh == null ? null : refresh.instead();
        if (instead != null) {
            return instead;
        }
        Retries retries = wiring.retries();
        if (retries != null) {
            retries.called();
        }
        return wiring.primary().beginFirst(arguments, nowNanos, deadlineNanos, toTell);
    }

    private Call<?> retryPrimary(Retrying<C, R> again, Driver toTell) {
        again.attempts++;
        return wiring.primary().beginFirst(arguments, command.ticker().nanos(), primaryEndNanos(), toTell);
    }

    /** All attempts and pauses together have the primary's time. */
    private long primaryEndNanos() {
        return Spans.earlier(
                deadlineNanos, startNanos + wiring.primary().guard().timeoutNanos());
    }

    /**
     * Whether the run pauses, before the next attempt of its primary or while another one fetches what it wants: {@link
     * #resume} before the next {@link #begin}.
     */
    boolean isPausing() {
        return (retrying != null && retrying.pausing) || (refresh != null && refresh.waits());
    }

    /** When the pause is over. */
    long resumeNanos() {
        if (refresh != null && refresh.waits()) {
            return Spans.earlier(primaryEndNanos(), refresh.waitsUntilNanos());
        }
        return retrying == null ? nowNanos : retrying.resumeNanos;
    }

    /** What ends the pause before that; null for nothing. */
    @Nullable
    Flight awaited() {
        // A pause before another attempt is not over because a wait was, long ago.
        return refresh != null && refresh.waits() ? refresh.awaited() : null;
    }

    /** Ends the pause; in a container that closes, the failure stands. */
    void resume() {
        if (refresh != null && refresh.waits()) {
            nowNanos = command.ticker().nanos();
            refresh.resume(nowNanos, nowNanos - primaryEndNanos() >= 0);
            return;
        }
        Retrying<C, R> again = retrying;
        if (again != null && again.pausing) {
            again.pausing = false;
            if (command.container().isClosed()) {
                settle(again.failed);
            }
        }
    }

    /** Ends what was begun, once it is decided, and settles whether the run is over or pauses. */
    void end(Call<?> call) {
        if (refresh != null && refresh.looks()) {
            endLook(refresh, call);
            return;
        }
        Step<C, ?, R> step = place == 0 ? endFirst(call) : endNext(stage(), call);
        nowNanos = step.endNanos();
        if (observed != null) {
            tellOf(step, observed);
        }
        if (command.effect().writes() && leavesOutcomeUnknown(step)) {
            outcomeUnknown = true;
            fallbackContext = null; // the stages to come must hear of it
        }
        // What another run's primary came to has been tried again there.
        boolean asked = refresh == null || refresh.instead() == null;
        Retries retries = place == 0 && asked ? wiring.retries() : null;
        if (retries == null) {
            settle(step);
        } else if (retrying != null && wasNotLetIn(step)) {
            settle(retrying.failed);
        } else if (!isTriedAgain(retries, step)) {
            settle(step);
        }
    }

    private void endLook(Refresh<C, R> before, Call<?> call) {
        Step<C, ?, R> step = before.end(call);
        nowNanos = step.endNanos();
        if (observed != null) {
            tellOf(step, observed);
        }
        if (step.outcome() == StageOutcome.ANSWERED) {
            trail.add(wiring.primary().endFirst(HereCall.skipped(step.startNanos(), StageReason.YOUNG_COPY)));
            trail.add(step);
            wiring.primary().left(null, StageReason.YOUNG_COPY);
            before.land(null);
            finish(Ending.CACHE);
        }
    }

    private static boolean wasNotLetIn(Step<?, ?, ?> step) {
        return (step.outcome() == StageOutcome.REFUSED || step.outcome() == StageOutcome.SKIPPED)
                && step.reason() != StageReason.CANCELLED;
    }

    private boolean isTriedAgain(Retries retries, Step<C, ?, R> step) {
        int attempts = retrying == null ? 1 : retrying.attempts;
        long pause = command.container().isClosed()
                ? Retries.NONE
                : retries.pauseAfter(step, attempts, primaryEndNanos() - nowNanos);
        if (pause == Retries.NONE) {
            return false;
        }
        if (retrying == null) {
            retrying = new Retrying<>(step);
        }
        retrying.failed = step;
        retrying.resumeNanos = nowNanos + pause;
        retrying.pausing = true;
        return true;
    }

    private void settle(Step<C, ?, R> step) {
        trail.add(step);
        if (place == 0) {
            wiring.primary().left(null, step.reason());
            if (refresh != null) {
                refresh.land(step);
            }
        }
        Ending ending = place == 0 ? afterPrimary(step) : afterLink(step);
        place++;
        if (ending == null && place > wiring.chain().size()) {
            ending = !admitted ? Ending.MISSING : allRefused ? Ending.REJECTION : Ending.FAILURE;
        }
        if (ending != null) {
            finish(ending);
        }
    }

    @SuppressWarnings("unchecked") // a call comes back to the stage that began it
    private Step<C, ?, R> endFirst(Call<?> call) {
        return wiring.primary().endFirst((Call<R>) call);
    }

    @SuppressWarnings("unchecked") // a call comes back to the stage that began it
    private static <C, V, R> Step<C, V, R> endNext(Stage<C, V, R> stage, Call<?> call) {
        return stage.endNext((Call<V>) call);
    }

    private boolean leavesOutcomeUnknown(Step<C, ?, R> step) {
        if (!step.bodyStarted() || (step.kind() != Source.PRIMARY && step.kind() != Source.SPARE)) {
            return false;
        }
        return step.outcome() == StageOutcome.TIMED_OUT
                || step.reason() == StageReason.CANCELLED
                || (canLeaveItUnknown(step.reason()) && step.guard().leavesOutcomeUnknown(step.cause(command.key())));
    }

    /** Whatever class the command sorts a broken connection into, it stays broken. */
    private static boolean canLeaveItUnknown(StageReason reason) {
        return switch (reason) {
            case EXCEPTION, UNCLASSED, FATAL, OVERLOADED -> true;
            default -> false;
        };
    }

    private @Nullable Ending afterPrimary(Step<C, ?, R> step) {
        if (step.outcome() == StageOutcome.ANSWERED) {
            return Ending.PRIMARY;
        }
        if (step.reason().endsRun() || step.reason() == StageReason.UNCLASSED) {
            thrownUnchanged = true;
            return endedBy(step, Ending.THROWN);
        }
        chainEndNanos = Spans.earlier(deadlineNanos, nowNanos + wiring.budgetNanos());
        return null;
    }

    private @Nullable Ending afterLink(Step<C, ?, R> step) {
        if (step.outcome() == StageOutcome.ANSWERED) {
            return Ending.answeredBy(step.kind());
        }
        // What a spare says of the request holds as if the primary had said it; a copy's trouble is only the copy's.
        if (step.reason() == StageReason.CANCELLED
                || (step.kind() == Source.SPARE && step.reason().endsRun())) {
            thrownUnchanged = true;
            return endedBy(step, Ending.FAILURE);
        }
        admitted |= step.outcome() != StageOutcome.SKIPPED;
        allRefused &= step.outcome() == StageOutcome.SKIPPED || step.outcome() == StageOutcome.REFUSED;
        return null;
    }

    private static Ending endedBy(Step<?, ?, ?> step, Ending otherwise) {
        return switch (step.reason()) {
            case BAD_REQUEST -> Ending.BAD_REQUEST;
            case CANCELLED -> Ending.CANCELLED;
            default -> otherwise;
        };
    }

    private void finish(Ending ending) {
        Step<C, ?, R> primary = trail.get(0);
        FinishedCall call = CallCounts.call(primary.reason().trigger(), ending, primary.bodyStarted());
        if (around != null && call.source() != null) {
            around.checkAnswered();
        }
        if (CallCounts.isCopy(call.source(), last().ageNanos())) {
            command.counts().servedCopy(null, last().ageNanos(), last().endNanos());
        }
        book(call, last().endNanos());
    }

    private void book(FinishedCall call, long endNanos) {
        command.counts().finished(null, call, startNanos, endNanos);
        finished = call; // not before: what ends in between must be booked as lost
        if (observed != null) {
            tellOfEnd(observed);
        }
        command.container().runEnded(this);
    }

    private void tellOf(Step<C, ?, R> step, Observers.Observed followed) {
        try {
            followed.stageEnded(Account.stageEnded(command.key(), step, callId()));
        } catch (Throwable noStackLeft) {
            // The run goes on, whether or not there is room to tell of it.
        }
    }

    private void tellOfEnd(Observers.Observed followed) {
        try {
            followed.ended(account().callEnded());
        } catch (Throwable noStackLeft) {
            // It has ended, whether or not there is room to tell of it.
        }
    }

    /** What listeners are to hear of it is on its way to them. */
    void told() {
        command.counts().told();
    }

    /** Nobody waits for it, and what it holds is given back. */
    private void letGo(Call<?> begun) {
        try {
            begun.cancel();
            var unused = refresh != null && refresh.looks()
                    ? refresh.end(begun)
                    : place == 0 ? endFirst(begun) : endNext(stage(), begun);
        } catch (Throwable again) {
            // The run is lost to the first trouble, and its caller hears of that one.
        }
    }

    boolean isOver() {
        return finished != null;
    }

    /** The driver itself has failed, and nobody drives the run any more. */
    void lose(Throwable toWhat) {
        if (counted && !isOver()) {
            lostTo = toWhat;
            if (refresh != null) {
                refresh.land(null);
            }
            Call<?> begun = underWay;
            if (begun != null && !begun.isEnded()) {
                letGo(begun);
            }
            book(CallCounts.LOST, trail.isEmpty() ? startNanos : last().endNanos());
        }
    }

    @Override
    public boolean isAnswered() {
        return call().source() != null;
    }

    @Override
    public @Nullable R answer() {
        return last().answer();
    }

    @Override
    public CommandResult<R> result() {
        return account().result();
    }

    @Override
    public Throwable failure() {
        return account().failure();
    }

    /** The failure in an exception that needs no declaration. */
    CommandException wrapped(Throwable why) {
        return account().wrapped(why);
    }

    /** What there is to tell of a run that is over: its stages in the order of the chain, then itself. */
    List<CommandEvent> events() {
        return account().events();
    }

    private Account<C, R> account() {
        return new Account<>(command, call(), trail, callId(), startNanos, outcomeUnknown, thrownUnchanged, lostTo);
    }

    // ---- as the rules of entry see it ----

    @Override
    public Route route() {
        return route;
    }

    @Override
    public Trigger trigger() {
        return trail.get(0).reason().trigger();
    }

    /** The primary's own failure. */
    @Override
    public Throwable cause() {
        return trail.get(0).cause(command.key());
    }

    @Override
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    @Override
    public GuardMeter primary() {
        return wiring.primary().guard().meter();
    }

    @Override
    public FallbackContext fallbackContext() {
        if (fallbackContext == null) {
            Step<C, ?, R> primary = trail.get(0);
            fallbackContext = new FallbackContext(
                    command.key(),
                    trigger(),
                    cause(),
                    Duration.ofNanos(primary.endNanos() - startNanos),
                    Level.NORMAL,
                    callId(),
                    outcomeUnknown);
        }
        return fallbackContext;
    }

    // ----

    private Stage<C, ?, R> stage() {
        return wiring.chain().get(place - 1);
    }

    private Step<C, ?, R> last() {
        return trail.get(trail.size() - 1);
    }

    private FinishedCall call() {
        if (finished == null) {
            throw new IllegalStateException("the run is not over");
        }
        return finished;
    }

    /** Drawn when somebody asks; one id for everything that is told of the run. */
    private long callId() {
        while (callId == 0) {
            callId = ThreadLocalRandom.current().nextLong();
        }
        return callId;
    }
}
