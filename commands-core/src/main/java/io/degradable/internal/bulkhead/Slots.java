package io.degradable.internal.bulkhead;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A number of slots, never more of them taken than there are. Who takes one gives it back exactly once.
 *
 * <p>The limit is a target: lowered below what is taken, it refuses until enough are given back.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Slots {

    /** Slots taken, those that are {@link #owed} among them. */
    private final AtomicInteger taken = new AtomicInteger();

    private volatile int limit;

    /**
     * Slots that holders at the end of their stacks could not {@link #giveBack}, ever: they are discounted, since to take them
     * off would be a second step, for which there may be no stack either. A bare field, for who can neither call a method nor
     * enter a monitor. Two threads that come to that at once may count as one.
     */
    public int owed;

    public Slots(int limit) {
        this.limit = limit;
    }

    /** Takes a slot if one is free; looking and taking are one step. */
    public boolean tryTake() {
        while (true) {
            int before = taken.get();
            if (before - owed >= limit) {
                return false;
            }
            if (taken.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    public void giveBack() {
        int left = taken.decrementAndGet() - owed;
        assert left >= 0 : "a slot was given back twice";
    }

    public int taken() {
        return taken.get() - owed;
    }

    public int limit() {
        return limit;
    }

    /** Sets another target; it never blocks and takes nothing away from who holds a slot. */
    public void limit(int limit) {
        this.limit = limit;
    }
}
