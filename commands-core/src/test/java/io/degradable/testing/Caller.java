package io.degradable.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** A thread of the test that calls what may block, and keeps what came of it. */
public final class Caller<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Caller(Callable<T> call) {
        this.thread = new Thread(
                () -> {
                    try {
                        result.complete(call.call());
                    } catch (Throwable failure) {
                        result.completeExceptionally(failure);
                    }
                },
                "caller");
        thread.setDaemon(true);
    }

    /** Starts one. */
    public static <T> Caller<T> calls(Callable<T> call) {
        Caller<T> caller = new Caller<>(call);
        caller.thread.start();
        return caller;
    }

    /** Waits for what came of it. */
    public T result() {
        return valueOf(result);
    }

    /** Waits for the value of a future. Unlike {@code join()}, the wait ends when the test's own time limit interrupts it. */
    public static <T> T valueOf(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", overdue);
        } catch (ExecutionException failed) {
            throw new AssertionError("the value failed to come", failed.getCause());
        }
    }

    public Thread.State state() {
        return thread.getState();
    }

    public boolean isDone() {
        return result.isDone();
    }

    public void interrupt() {
        thread.interrupt();
    }
}
