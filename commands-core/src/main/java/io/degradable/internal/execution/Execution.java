package io.degradable.internal.execution;

import io.degradable.internal.guard.Attempt;
import javax.annotation.Nullable;

/** The synchronous driver: the calling thread itself waits for each attempt. */
final class Execution {

    private Execution() {}

    /**
     * Runs a command on the calling thread, to its end.
     *
     * @return the run, which was answered; null when the command is gone: look it up anew
     */
    static <C, R> @Nullable Run<C, R> run(CommandRuntime<C, R> command, C arguments) {
        Run<C, R> run = new Run<>(command, arguments);
        Attempt<C, ?> underWay = null;
        try {
            if (!run.enter()) {
                return null;
            }
            run.beObserved();
            Runnable leave = run.beCurrent();
            try {
                while (!run.isOver()) {
                    if (run.isPausing()) {
                        command.container().pause(run.resumeNanos());
                        run.resume();
                        continue;
                    }
                    underWay = run.begin(run, Thread.currentThread().isInterrupted());
                    underWay.await();
                    run.end(underWay);
                }
            } finally {
                leave.run();
            }
        } catch (Throwable lost) {
            try {
                run.lose(lost, underWay);
            } catch (Throwable noStackLeft) {
                if (run.counted && run.finished == null) {
                    command.counts.lost++;
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
