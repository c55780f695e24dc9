package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.stage.Step;
import io.degradable.model.CommandException;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.TemporaryRefusalException;
import io.degradable.settings.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import javax.annotation.Nullable;

/**
 * What is told of a run that is over: its result, its failure, its events. Made when somebody asks.
 *
 * @param trail the steps of the run in the order of the chain; empty only when it was lost at once
 * @param outcomeUnknown whether nobody knows if what it was to write was written
 * @param thrownUnchanged whether the failure of the last step reaches the caller as it is
 * @param lostTo what the driver itself failed with; null when the run ended by its rules
 */
record Account<C, R>(
        CommandRuntime<C, R> command,
        FinishedCall call,
        List<Step<C, ?, R>> trail,
        long callId,
        long startNanos,
        boolean outcomeUnknown,
        boolean thrownUnchanged,
        @Nullable Throwable lostTo) {

    // ---- an answer ----

    CommandResult<R> result() {
        Step<C, ?, R> primary = primary();
        Step<C, ?, R> answered = last();
        long elapsedNanos = answered.endNanos() - startNanos;
        if (answered == primary && primary.startNanos() == startNanos) {
            return new PrimaryResult<>(answered.answer(), callId, elapsedNanos, Level.NORMAL, answered.overrun());
        }
        TrailResult.Told told = new TrailResult.Told(
                answered.kind(),
                answered.ageNanos(),
                primary.reason().trigger(),
                answered == primary ? null : cause(),
                reports(),
                answered.endNanos() - primary.endNanos(),
                Level.NORMAL,
                answered.overrun(),
                outcomeUnknown && answered.kind() == Source.STATIC);
        return new TrailResult<>(answered.answer(), callId, elapsedNanos, told);
    }

    // ---- none ----

    /** What the caller gets to see instead of an answer; a user's own failure as it is. */
    Throwable failure() {
        if (lostTo != null) {
            return lostTo;
        }
        if (call.ending() == Ending.CANCELLED) {
            CancellationException cancelled = new CancellationException(key().name() + " was cancelled");
            Throwable interrupt = last().interrupt();
            if (interrupt != null) {
                cancelled.initCause(interrupt);
            }
            return cancelled;
        }
        if (!thrownUnchanged) {
            return wrapped(cause());
        }
        Throwable thrown = last().cause(key());
        return isCheckThatFailed(thrown) ? refusal(thrown) : thrown;
    }

    /**
     * Whether a check that could not be made would get out as something else, which the command around it could take for
     * unavailable and answer for: by the check's own rules, or because it hung on as the body around it was out of time.
     */
    private boolean isCheckThatFailed(Throwable thrown) {
        return switch (last().reason()) {
            case FAILED_CLOSED -> TemporaryRefusalException.in(thrown) == null;
            case FATAL, UNCLASSED -> command.effect() == Effect.FAIL_CLOSED && !(thrown instanceof Error);
            default -> false;
        };
    }

    /** The failure in an exception that needs no declaration. */
    CommandException wrapped(Throwable why) {
        return command.effect() == Effect.FAIL_CLOSED
                ? refusal(why)
                : new CommandException(
                        key(), call, reports(), callId, Level.NORMAL, outcomeUnknown, retryAfter(why), why);
    }

    private TemporaryRefusalException refusal(Throwable why) {
        return new TemporaryRefusalException(key(), call, reports(), callId, Level.NORMAL, retryAfter(why), why);
    }

    /** Known when a breaker refused, here or in a command inside, and is still open. */
    private @Nullable Duration retryAfter(Throwable why) {
        if (FailureRules.unwrapped(why) instanceof CommandException nested) {
            return nested.retryAfter().orElse(null);
        }
        Step<C, ?, R> primary = primary();
        if (primary.reason() != StageReason.SHORT_CIRCUITED) {
            return null;
        }
        Duration opensFor =
                primary.guard().breaker().explain(primary.endNanos()).opensFor();
        return opensFor.isZero() ? null : opensFor;
    }

    // ---- for listeners ----

    /** Its stages in the order of the chain, then itself. */
    List<CommandEvent> events() {
        List<CommandEvent> events = new ArrayList<>(trail.size() + 1);
        for (Step<C, ?, R> step : trail) {
            events.add(stageEnded(step));
        }
        events.add(callEnded());
        return events;
    }

    private StageEnded stageEnded(Step<C, ?, R> step) {
        return stageEnded(key(), step, callId);
    }

    /** One of its stages. */
    static StageEnded stageEnded(CommandKey key, Step<?, ?, ?> step, long callId) {
        StageReport report = step.report(key);
        return new StageEnded(
                key,
                report.stage(),
                report.kind(),
                report.outcome(),
                report.reason(),
                callId,
                report.elapsed(),
                report.cause());
    }

    /** The run itself. */
    CallEnded callEnded() {
        long endNanos = trail.isEmpty() ? startNanos : last().endNanos();
        long primaryEndNanos = trail.isEmpty() ? startNanos : primary().endNanos();
        long ageNanos = call.source() == null ? CommandResult.AGELESS : last().ageNanos();
        return new CallEnded(
                key(),
                callId,
                call.outcome(),
                call.source(),
                call.trigger(),
                call.events(),
                Duration.ofNanos(endNanos - startNanos),
                Duration.ofNanos(endNanos - primaryEndNanos),
                ageNanos == CommandResult.AGELESS ? null : Duration.ofNanos(ageNanos),
                lostTo != null ? lostTo : call.source() == Source.PRIMARY ? null : cause(),
                Level.NORMAL);
    }

    // ----

    private CommandKey key() {
        return command.key();
    }

    private Step<C, ?, R> primary() {
        return trail.get(0);
    }

    private Step<C, ?, R> last() {
        return trail.get(trail.size() - 1);
    }

    /** The primary's own failure. */
    private Throwable cause() {
        return primary().cause(key());
    }

    private List<StageReport> reports() {
        StageReport[] reports = new StageReport[trail.size()];
        for (int place = 0; place < reports.length; place++) {
            reports[place] = trail.get(place).report(key());
        }
        return List.of(reports);
    }
}
