package io.degradable.time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import javax.annotation.Nullable;

/**
 * One alarm of a {@link SystemTimer}, and its own place in the lists of it: 40 bytes. Whoever takes the task decides what has
 * become of the alarm, and nobody can take it twice.
 *
 * <pre>
 *   ARMED --canceller takes the task--> CANCELLED
 *   ARMED --timer takes the task--> FIRED
 * </pre>
 *
 * <p>In both ends it holds nothing of the task, however long the timer goes on to hold the alarm.
 *
 * <p>Threading: the task may be taken by any thread. Of the rest, see there.
 */
final class SystemAlarm implements Timer.Alarm {

    private static final VarHandle TASK;

    static {
        try {
            TASK = MethodHandles.lookup().findVarHandle(SystemAlarm.class, "task", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null once it is cancelled or fired. */
    private volatile @Nullable Runnable task;

    // Set by who arms, before the timer's thread knows of it. That one cuts the link when it takes the alarm in: who is
    // about to push another one may still follow it, but will fail to.
    @Nullable
    SystemAlarm below;

    int height;

    // Touched by the timer's thread alone, once it knows of it.
    long dueNanos;

    @Nullable
    SystemAlarm next;

    SystemAlarm(Runnable task, long dueNanos) {
        this.task = task;
        this.dueNanos = dueNanos;
    }

    /** What it is to do, for the one who comes first; null for everybody else. */
    @Nullable
    Runnable take() {
        return (Runnable) TASK.getAndSet(this, (Runnable) null);
    }

    boolean isArmed() {
        return task != null;
    }

    @Override
    public void cancel() {
        take();
    }
}
