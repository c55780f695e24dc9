package io.degradable.internal.execution;

import io.degradable.internal.stage.Stage;
import io.degradable.internal.stage.Step;
import io.degradable.model.CommandException;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.time.Spans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import javax.annotation.Nullable;

/**
 * One synchronous run, top to bottom: the primary, then the chain until a stage answers; counted once.
 *
 * <p>Threading: belongs to the thread that calls; the bodies run where their guards say.
 */
final class Execution<C, R> {

    /** A run that ended in ourselves, at the end of the stack or of the memory: it must not stay in flight for ever. */
    private static final FinishedCall LOST = CallCounts.call(Trigger.FAILURE, Ending.THROWN, true);

    private final CommandRuntime<C, R> command;
    private final C arguments;
    private final long startNanos;
    private final long deadlineNanos;
    private final List<Step<C, ?, R>> trail = new ArrayList<>(2);
    private boolean thrownUnchanged;
    private long callId;

    private Execution(CommandRuntime<C, R> command, C arguments) {
        this.command = command;
        this.arguments = arguments;
        this.startNanos = command.ticker().nanos();
        this.deadlineNanos = command.deadline(startNanos);
    }

    /** The answer alone. */
    static <C, R> @Nullable R execute(CommandRuntime<C, R> command, C arguments) {
        return new Execution<>(command, arguments).run().answer();
    }

    /** The answer with its provenance. */
    static <C, R> CommandResult<R> executeForResult(CommandRuntime<C, R> command, C arguments) {
        Execution<C, R> execution = new Execution<>(command, arguments);
        return execution.result(execution.run());
    }

    /** Runs it, counts it, and returns the step that answered. */
    private Step<C, ?, R> run() {
        command.counts().received();
        FinishedCall call = LOST;
        try {
            Step<C, ?, R> primary = command.primary().first(arguments, startNanos, deadlineNanos);
            trail.add(primary);
            Ending ending = walk(primary);
            call = CallCounts.call(primary.reason().trigger(), ending, primary.bodyStarted());
        } finally {
            command.counts().finished(call, startNanos, trail.isEmpty() ? startNanos : last().endNanos());
        }
        Step<C, ?, R> last = last();
        if (call.source() == null) {
            throw failure(call, last);
        }
        if (call.source() == Source.CACHE) {
            command.counts().servedCopy(last.ageNanos());
        }
        return last;
    }

    private Ending walk(Step<C, ?, R> primary) {
        if (primary.outcome() == StageOutcome.ANSWERED) {
            return Ending.PRIMARY;
        }
        if (primary.reason().endsRun() || primary.reason() == StageReason.UNCLASSED) {
            thrownUnchanged = true;
            return endedBy(primary, Ending.THROWN);
        }
        FallbackContext context = context(primary);
        long chainEndNanos = Spans.earlier(deadlineNanos, primary.endNanos() + command.budgetNanos());
        boolean admitted = false;
        boolean allRefused = true;
        for (Stage<C, ?, R> stage : command.chain()) {
            Step<C, ?, R> step =
                    stage.next(arguments, context, command.primary().guard().meter(), last().endNanos(), chainEndNanos);
            trail.add(step);
            if (step.outcome() == StageOutcome.ANSWERED) {
                return Ending.answeredBy(step.kind());
            }
            if (endsRun(step)) {
                thrownUnchanged = true;
                return endedBy(step, Ending.FAILURE);
            }
            admitted |= step.outcome() != StageOutcome.SKIPPED;
            allRefused &= step.outcome() == StageOutcome.SKIPPED || step.outcome() == StageOutcome.REFUSED;
        }
        return !admitted ? Ending.MISSING : allRefused ? Ending.REJECTION : Ending.FAILURE;
    }

    /** What a spare says of the request holds as if the primary had said it; a copy's trouble is only the copy's. */
    private static boolean endsRun(Step<?, ?, ?> step) {
        return step.reason() == StageReason.CANCELLED
                || (step.kind() == Source.SPARE && step.reason().endsRun());
    }

    private static Ending endedBy(Step<?, ?, ?> step, Ending otherwise) {
        return switch (step.reason()) {
            case BAD_REQUEST -> Ending.BAD_REQUEST;
            case CANCELLED -> Ending.CANCELLED;
            default -> otherwise;
        };
    }

    private FallbackContext context(Step<C, ?, R> primary) {
        return new FallbackContext(
                command.key(),
                primary.reason().trigger(),
                trail.get(0).cause(command.key()),
                Duration.ofNanos(primary.endNanos() - startNanos),
                Level.NORMAL,
                callId());
    }

    private CommandResult<R> result(Step<C, ?, R> answered) {
        Step<C, ?, R> primary = trail.get(0);
        boolean normal = answered == primary;
        return new CommandResult<>(
                answered.answer(),
                answered.kind(),
                answered.ageNanos(),
                primary.reason().trigger(),
                normal ? null : primary.cause(command.key()),
                reports(),
                callId(),
                answered.endNanos() - startNanos,
                answered.endNanos() - primary.endNanos(),
                Level.NORMAL,
                answered.overrun());
    }

    /** What the caller gets to see instead of an answer. */
    private RuntimeException failure(FinishedCall call, Step<C, ?, R> last) {
        CommandKey key = command.key();
        if (call.ending() == Ending.CANCELLED) {
            CancellationException cancelled = new CancellationException(key.name() + " was cancelled");
            Throwable interrupt = last.interrupt();
            if (interrupt != null) {
                cancelled.initCause(interrupt);
            }
            return cancelled;
        }
        Throwable why = (thrownUnchanged ? last : trail.get(0)).cause(key);
        if (thrownUnchanged && why instanceof Error error) {
            throw error;
        }
        if (thrownUnchanged && why instanceof RuntimeException exception) {
            return exception;
        }
        return new CommandException(key, call, reports(), callId(), Level.NORMAL, why);
    }

    private List<StageReport> reports() {
        return trail.stream().map(step -> step.report(command.key())).toList();
    }

    private Step<C, ?, R> last() {
        return trail.get(trail.size() - 1);
    }

    /** Drawn when somebody asks; one id for everything that is told of the run. */
    private long callId() {
        while (callId == 0) {
            callId = ThreadLocalRandom.current().nextLong();
        }
        return callId;
    }
}
