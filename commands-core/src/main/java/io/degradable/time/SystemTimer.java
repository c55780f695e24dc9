package io.degradable.time;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer on the JVM's clock, with one daemon thread that is there while something is scheduled. */
final class SystemTimer implements Timer {

    private final ScheduledThreadPoolExecutor thread;

    SystemTimer(String name) {
        thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(null, task, name, 0, false);
            made.setDaemon(true);
            made.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
            return made;
        });
        thread.setKeepAliveTime(10, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setRemoveOnCancelPolicy(true); // or a cancelled alarm would hold its run until its moment comes
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Alarm schedule(Runnable task, long atNanos) {
        try {
            ScheduledFuture<?> scheduled = thread.schedule(task, atNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
