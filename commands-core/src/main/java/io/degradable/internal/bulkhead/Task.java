package io.degradable.internal.bulkhead;

/** A body on its way through a bulkhead. */
public interface Task extends Runnable {

    /** Whoever waits for it goes without an answer; if it runs, it is interrupted. */
    void cancel();
}
