package io.degradable;

import io.degradable.model.CommandResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Callers on threads of their own, for tests that have to do something while a call is under way. */
final class Callers implements AutoCloseable {

    private final List<Thread> threads = new ArrayList<>();

    /** Begins a call; the task's {@code get()} waits for its end. */
    <R> FutureTask<CommandResult<R>> call(DegradableCommand<R> command) {
        return start(command::executeForResult);
    }

    <T> FutureTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "caller-" + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return task;
    }

    /** Interrupts the caller that began last. */
    void interruptLast() {
        threads.get(threads.size() - 1).interrupt();
    }

    /** Waits for all of them; each test has a limit that bounds it. */
    @Override
    public void close() {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException hung) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
