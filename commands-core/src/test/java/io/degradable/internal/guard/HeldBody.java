package io.degradable.internal.guard;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.testing.Caller;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;

/** A body that a test holds and lets go. It goes on when it is interrupted, and remembers that it was. */
final class HeldBody implements Body<String, String> {

    private final CompletableFuture<Thread> started = new CompletableFuture<>();
    private final CompletableFuture<Callable<String>> end = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    @Override
    public String call(String command, @Nullable FallbackContext context) throws Exception {
        started.complete(Thread.currentThread());
        Callable<String> ending = untilLetGo();
        interrupted.complete(Thread.interrupted());
        return ending.call();
    }

    private Callable<String> untilLetGo() throws ExecutionException {
        while (true) {
            try {
                return end.get();
            } catch (InterruptedException interrupt) {
                interrupted.complete(true);
            }
        }
    }

    @Override
    public StageReason judge(@Nullable String value) {
        return StageReason.ANSWER;
    }

    void untilStarted() {
        Caller.valueOf(started);
    }

    boolean hasStarted() {
        return started.isDone();
    }

    void returns(String value) {
        end.complete(() -> value);
    }

    void fails(Exception failure) {
        end.complete(() -> {
            throw failure;
        });
    }

    /** Waits until it was interrupted, or ended without that, and says which. */
    boolean wasInterrupted() {
        return Caller.valueOf(interrupted);
    }
}
