package io.degradable.internal.execution;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * The future of a run. Whoever completes it from outside ({@code complete}, {@code cancel}, {@code orTimeout}) ends the run
 * as well; cancelling a dependent does not.
 */
public final class CommandFuture<T> extends CompletableFuture<T> {

    private volatile boolean overByItself;

    private CommandFuture() {}

    /**
     * The future of a run that begins now.
     *
     * @param begin begins it, given who is to be told when it is over
     * @param read what of it the future is completed with
     */
    public static <R, T> CompletableFuture<T> of(
            Function<Consumer<FinishedRun<R>>, AsyncExecution<?, R>> begin, Function<FinishedRun<R>, T> read) {
        CommandFuture<T> future = new CommandFuture<>();
        future.follow(begin.apply(run -> future.end(run, read)));
        return future;
    }

    private <R> void end(FinishedRun<R> run, Function<FinishedRun<R>, T> read) {
        try {
            if (run.isAnswered()) {
                answer(read.apply(run));
            } else {
                fail(run.failure());
            }
        } catch (Throwable mistake) {
            fail(mistake); // whoever waits must hear of the end, whatever its telling runs into
        }
    }

    /** Ends the run when somebody else completes this. */
    private void follow(AsyncExecution<?, ?> execution) {
        var unused = whenComplete((value, failure) -> {
            if (!overByItself) {
                execution.cancel();
            }
        });
    }

    private void answer(@Nullable T value) {
        overByItself = true;
        complete(value);
    }

    private void fail(Throwable failure) {
        overByItself = true;
        completeExceptionally(failure);
    }

    /** Dependents are plain futures: their cancellation is nobody's business but theirs. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
