package io.degradable.internal.execution;

import io.degradable.internal.guard.Call;
import io.degradable.time.Lane;
import javax.annotation.Nullable;

/** The synchronous driver: the calling thread itself waits for each call. */
final class Execution {

    private Execution() {}

    /**
     * Runs a command on the calling thread, to its end.
     *
     * @param asResult whether the result is wanted, or the answer alone
     * @return the answer or the result; {@link CommandRuntime#GONE}
     */
    @SuppressWarnings("unchecked") // a lane's run is of the command that it was given
    static <C, R> @Nullable Object run(CommandRuntime<C, R> command, C arguments, boolean asResult) {
        Run<C, R> run = null;
        try {
            Wiring<C, R> wiring = command.wiring();
            Lane lane = wiring.goesByLane() ? Lane.enter() : null;
            if (lane != null) {
                Object cameTo;
                try {
                    cameTo = LaneRun.run(lane, command, wiring, arguments, asResult);
                } finally {
                    lane.holder = null;
                }
                if (!(cameTo instanceof Run<?, ?> goesOn)) {
                    // After the lane was let go of, a volatile write: who closes is seen here, or sees the call
                    // counted.
                    command.container().runEnded();
                    return cameTo;
                }
                run = (Run<C, R>) goesOn;
            } else {
                run = new Run<>(command, arguments);
                if (!run.enter()) {
                    return CommandRuntime.GONE;
                }
                run.beObserved();
            }
            drive(run, command);
        } catch (Throwable lost) {
            try {
                if (run == null) {
                    command.container().runEnded(); // on its lane, where it was booked as lost
                } else {
                    run.lose(lost);
                }
            } catch (Throwable noStackLeft) {
                if (run != null && run.counted && run.finished == null) {
                    command.counts.lost++;
                }
            }
            throw lost;
        }
        return outcome(run, asResult);
    }

    private static void drive(Run<?, ?> run, CommandRuntime<?, ?> command) {
        Runnable leave = run.beCurrent();
        try {
            while (!run.isOver()) {
                if (run.isPausing()) {
                    command.container().pause(run.resumeNanos(), run.awaited());
                    run.resume();
                    continue;
                }
                Call<?> call = run.begin(run, Thread.currentThread().isInterrupted());
                call.await();
                run.end(call);
            }
        } finally {
            leave.run();
        }
    }

    private static <R> @Nullable Object outcome(Run<?, R> run, boolean asResult) {
        if (run.isAnswered()) {
            return asResult ? run.result() : run.answer();
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
