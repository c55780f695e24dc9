package io.degradable.internal.execution;

import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;

/**
 * The future of a run. Whoever completes it from outside ({@code complete}, {@code cancel}, {@code orTimeout}) ends the run
 * as well; cancelling a dependent does not.
 */
final class CommandFuture<T> extends CompletableFuture<T> {

    private volatile boolean overByItself;

    /** Ends the run when somebody else completes this. */
    void follow(AsyncExecution<?, ?> execution) {
        var unused = whenComplete((value, failure) -> {
            if (!overByItself) {
                execution.cancel();
            }
        });
    }

    void answer(@Nullable T value) {
        overByItself = true;
        complete(value);
    }

    void fail(Throwable failure) {
        overByItself = true;
        completeExceptionally(failure);
    }

    /** Dependents are plain futures: their cancellation is nobody's business but theirs. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
