package io.degradable.time;

/**
 * Does something at a moment. Tasks run on the timer's own thread one after the other, so a task only flips a state and
 * hands off; no code of a user runs there.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface Timer extends AutoCloseable {

    /**
     * Runs a task once {@code atNanos} is reached; at once when it is over.
     *
     * @param atNanos a reading of the ticker that made this timer
     */
    Alarm schedule(Runnable task, long atNanos);

    /** Ends the timer's thread; tasks that are not due will not run. */
    @Override
    void close();

    /** One task that waits for its moment. */
    interface Alarm {

        /** Lets go of the task; does nothing when it has run. */
        void cancel();
    }
}
