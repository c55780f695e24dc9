package io.degradable.internal.control;

import io.degradable.time.Timer;
import javax.annotation.Nullable;

/**
 * At most one alarm at a time, and none after the close.
 *
 * <p>Threading: every method may be called from any thread. A task runs on the timer's thread, without the lock.
 */
final class OneAlarm {

    private final Timer timer;

    // Guarded by this.
    private @Nullable Timer.Alarm alarm;
    private @Nullable Runnable waiting;
    private long atNanos;
    private boolean closed;

    OneAlarm(Timer timer) {
        this.timer = timer;
    }

    /** Runs a task at a moment, in place of the one that waits. */
    synchronized void set(long nanos, Runnable task) {
        if (closed || (waiting == task && atNanos == nanos)) {
            return;
        }
        cancel();
        waiting = task;
        atNanos = nanos;
        Timer.Alarm made;
        try {
            made = timer.schedule(() -> ring(task, nanos), nanos);
        } catch (Throwable noThread) {
            waiting = null;
            throw noThread;
        }
        if (waiting == task && atNanos == nanos) { // it may be over, and has rung
            alarm = made;
        }
    }

    private void ring(Runnable task, long nanos) {
        synchronized (this) {
            if (waiting != task || atNanos != nanos) {
                return; // another one was set meanwhile, or none
            }
            waiting = null;
            alarm = null;
        }
        task.run();
    }

    synchronized boolean isSet() {
        return waiting != null;
    }

    synchronized void cancel() {
        waiting = null;
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    synchronized void close() {
        closed = true;
        cancel();
    }
}
