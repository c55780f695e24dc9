package io.degradable.internal.execution;

import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.HereCall;
import io.degradable.internal.stage.Stage;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import io.degradable.time.Deadline;
import io.degradable.time.Lane;
import io.degradable.time.Spans;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.annotation.Nullable;

/**
 * The short way of a synchronous run, for a thread that holds a lane: the primary on the calling thread, and if that fails,
 * one look into memory. Nearly all calls are of that kind, and they make no object. A run that turns out to need more goes on
 * as a {@link Run}, which is handed what has ended here.
 *
 * <p>Nothing is decided here that {@link Run} decides otherwise. What it does is the same, for the cases it takes.
 *
 * <p>Threading: belongs to the holder of its lane.
 */
final class LaneRun {

    private static final LaneRun[] OF_LANES = new LaneRun[Lane.lanes()];

    static {
        for (int index = 0; index < OF_LANES.length; index++) {
            OF_LANES[index] = new LaneRun();
        }
    }

    private static final FinishedCall ANSWERED_BY_PRIMARY = CallCounts.call(Trigger.NONE, Ending.PRIMARY, true);

    private final HereCall<?> primaryCall = new HereCall.OfLane<>();
    private final HereCall<?> linkCall = new HereCall.OfLane<>();

    private LaneRun() {}

    /** Loads what the first run needs: at the end of a stack it would fail to load, for good. */
    static void load() {}

    /**
     * Runs a command.
     *
     * @param lane what the calling thread holds
     * @param asResult whether the result is wanted, or the answer alone
     * @return the answer or the result; a {@link Run} that has to go on; {@link CommandRuntime#GONE}
     */
    static <C, R> @Nullable Object run(
            Lane lane, CommandRuntime<C, R> command, Wiring<C, R> wiring, C arguments, boolean asResult) {
        boolean entered = false;
        long startNanos = command.ticker().nanos();
        try {
            entered = command.enter();
            return entered
                    ? OF_LANES[lane.index()].perform(lane, command, wiring, arguments, startNanos, asResult)
                    : CommandRuntime.GONE;
        } catch (Throwable lost) {
            if (entered) {
                try {
                    command.counts.finished(null, CallCounts.LOST, startNanos, startNanos);
                } catch (Throwable noStackLeft) {
                    command.counts.lost++;
                }
            }
            throw lost;
        }
    }

    @SuppressWarnings("unchecked") // the record of a call holds nothing of it while no call is made
    private <C, R> @Nullable Object perform(
            Lane lane,
            CommandRuntime<C, R> command,
            Wiring<C, R> wiring,
            C arguments,
            long startNanos,
            boolean asResult) {
        HereCall<R> call = (HereCall<R>) primaryCall;
        Stage<C, R, R> primary = wiring.primary();
        if (Thread.currentThread().isInterrupted()) {
            return new Run<>(command, wiring, arguments, startNanos, List.of());
        }
        long deadlineNanos = wiring.deadline(Deadline.NONE, startNanos);
        R answer = primary.call(call, lane, arguments, startNanos, deadlineNanos);
        if (call.reason() != StageReason.ANSWER) {
            return degraded(lane, command, wiring, arguments, answer, asResult);
        }
        long elapsedNanos = call.endNanos() - startNanos;
        Object wanted = asResult
                ? new PrimaryResult<>(answer, newCallId(), elapsedNanos, Level.NORMAL, call.overrun())
                : answer;
        primary.left(lane, StageReason.ANSWER);
        command.counts().finished(lane, ANSWERED_BY_PRIMARY, startNanos, call.endNanos());
        return wanted;
    }

    private <C, R> @Nullable Object degraded(
            Lane lane,
            CommandRuntime<C, R> command,
            Wiring<C, R> wiring,
            C arguments,
            @Nullable R primarys,
            boolean asResult) {
        int place = isPlain(primaryCall) && !Thread.currentThread().isInterrupted()
                ? wiring.plainLink(primaryCall.reason().trigger())
                : Wiring.NO_LINK;
        if (place == Wiring.NO_LINK) {
            return new Run<>(command, wiring, arguments, primaryCall.startNanos(), List.of(copyOfPrimary(primarys)));
        }
        Stage<C, ?, R> link = wiring.link(place);
        return answeredBy(link, place, lane, command, wiring, arguments, primarys, asResult);
    }

    /** Whether the next stage is asked, and what is told of this one can be told without a record of it. */
    private static boolean isPlain(HereCall<?> primary) {
        StageReason reason = primary.reason();
        return reason.outcome() == StageOutcome.REFUSED
                || (primary.failure() != null && (reason == StageReason.EXCEPTION || reason == StageReason.OVERLOADED));
    }

    @SuppressWarnings("unchecked") // the record of a call holds nothing of it while no call is made
    private <C, V, R> @Nullable Object answeredBy(
            Stage<C, V, R> link,
            int place,
            Lane lane,
            CommandRuntime<C, R> command,
            Wiring<C, R> wiring,
            C arguments,
            @Nullable R primarys,
            boolean asResult) {
        HereCall<V> call = (HereCall<V>) linkCall;
        long startNanos = primaryCall.startNanos();
        long deadlineNanos = wiring.deadline(Deadline.NONE, startNanos);
        long primaryEndNanos = primaryCall.endNanos();
        long chainEndNanos = Spans.earlier(deadlineNanos, primaryEndNanos + wiring.budgetNanos());
        V yielded = link.call(call, lane, arguments, primaryEndNanos, chainEndNanos);
        if (call.reason() != StageReason.ANSWER) {
            HereCall<V> endedLink = call.copy(yielded);
            call.clear();
            return goesOn(place, command, wiring, arguments, primarys, endedLink);
        }
        StageReason reason = primaryCall.reason();
        Source source = link.settings().kind();
        wiring.primary().left(lane, reason);
        for (int skipped = 0; skipped < place; skipped++) {
            wiring.link(skipped).left(lane, StageReason.NOT_FOR_TRIGGER);
        }
        link.left(lane, StageReason.ANSWER);
        long ageNanos = link.ageNanos(yielded);
        if (CallCounts.isCopy(source, ageNanos)) {
            command.counts().servedCopy(lane, ageNanos, call.endNanos());
        }
        FinishedCall finished = CallCounts.call(reason.trigger(), Ending.answeredBy(source), primaryCall.bodyStarted());
        R answer = link.answer(yielded);
        Object wanted = !asResult
                ? answer
                : new LaneResult<>(
                        answer,
                        newCallId(),
                        call.endNanos() - startNanos,
                        wiring.settingsOfStages(),
                        place,
                        reason,
                        primaryCall.failure(),
                        primaryEndNanos - startNanos,
                        ageNanos,
                        Level.NORMAL);
        primaryCall.clear();
        command.counts().finished(lane, finished, startNanos, call.endNanos());
        return wanted;
    }

    /** The run goes on after a link that did not answer. */
    private <C, R> Run<C, R> goesOn(
            int place,
            CommandRuntime<C, R> command,
            Wiring<C, R> wiring,
            C arguments,
            @Nullable R primarys,
            Call<?> endedLink) {
        List<Call<?>> ended = new ArrayList<>();
        ended.add(copyOfPrimary(primarys));
        for (int skipped = 0; skipped < place; skipped++) {
            ended.add(HereCall.skipped(primaryCall.endNanos(), StageReason.NOT_FOR_TRIGGER));
        }
        ended.add(endedLink);
        return new Run<>(command, wiring, arguments, primaryCall.startNanos(), ended);
    }

    /** What the primary has come to, for a run that goes on. */
    @SuppressWarnings("unchecked") // what the record's own call yielded
    private <V> HereCall<V> copyOfPrimary(@Nullable V yielded) {
        HereCall<V> copy = ((HereCall<V>) primaryCall).copy(yielded);
        primaryCall.clear();
        return copy;
    }

    private static long newCallId() {
        long id = 0;
        while (id == 0) {
            id = ThreadLocalRandom.current().nextLong();
        }
        return id;
    }
}
