package io.degradable.time;

/** A worker thread of the library: its current deadline is a field, so asking for it needs no thread-local. */
public final class DeadlineThread extends Thread {

    /** Touched by this thread alone. */
    Deadline deadline = Deadline.NONE;

    /** A daemon thread, so that a program which returns from {@code main} ends. */
    public DeadlineThread(Runnable work, String name) {
        super(null, work, name, 0, false);
        setDaemon(true);
    }
}
