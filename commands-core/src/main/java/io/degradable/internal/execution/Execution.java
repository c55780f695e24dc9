package io.degradable.internal.execution;

import io.degradable.internal.guard.Attempt;
import io.degradable.model.CommandResult;
import java.util.Objects;
import javax.annotation.Nullable;

/** The synchronous driver: the calling thread itself waits for each attempt. */
final class Execution {

    private Execution() {}

    /** The answer alone. */
    static <C, R> @Nullable R execute(CommandRuntime<C, R> command, C arguments) {
        return drive(command, arguments).answer();
    }

    /** The answer with its provenance. */
    static <C, R> CommandResult<R> executeForResult(CommandRuntime<C, R> command, C arguments) {
        return drive(command, arguments).result();
    }

    private static <C, R> Run<C, R> drive(CommandRuntime<C, R> command, C arguments) {
        @Nullable Run<C, R> run = null;
        Attempt<C, ?> underWay = null;
        try {
            run = new Run<>(command, arguments);
            while (!run.isOver()) {
                underWay = run.begin(Thread.currentThread(), false);
                underWay.await();
                run.end(underWay);
            }
        } catch (Throwable lost) {
            try {
                Objects.requireNonNull(run).lose(lost, underWay);
            } catch (Throwable noStackLeft) {
                CallCounts counts = command.counts; // no method is called here, nor was there a run if that had no room
                synchronized (counts) {
                    counts.lost++;
                }
            }
            throw lost;
        }
        if (run.isAnswered()) {
            return run;
        }
        Throwable failure = run.failure();
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw run.wrapped(failure); // a checked exception, which execute() cannot declare
    }
}
