package io.degradable.time;

import javax.annotation.Nullable;

/**
 * A worker thread of the library. What belongs to the run it works for is in fields, so that asking for it needs no
 * thread-local.
 */
public final class DeadlineThread extends Thread {

    private final Object owner;

    /** Touched by this thread alone. */
    Deadline deadline = Deadline.NONE;

    /** Written by this thread alone, read by whoever closes its pool. */
    private volatile @Nullable Runnable task;

    /**
     * A daemon thread, so that a program which returns from {@code main} ends.
     *
     * @param owner the pool it belongs to
     */
    public DeadlineThread(Runnable work, String name, Object owner) {
        super(null, work, name, 0, false);
        this.owner = owner;
        setDaemon(true);
    }

    /** The pool it belongs to. */
    public Object owner() {
        return owner;
    }

    /** What it works on now. */
    public @Nullable Runnable task() {
        return task;
    }

    public void task(@Nullable Runnable task) {
        this.task = task;
    }
}
