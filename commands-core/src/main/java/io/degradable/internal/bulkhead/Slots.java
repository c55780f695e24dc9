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

    private final AtomicInteger taken = new AtomicInteger();
    private volatile int limit;

    /**
     * Slots that holders at the end of their stacks could not {@link #giveBack}, ever. A bare field, for who can neither call
     * a method nor enter a monitor. Two threads that come to that at once may count as one.
     */
    public int owed;

    /** How many of them were given back since. */
    private final AtomicInteger collected = new AtomicInteger();

    public Slots(int limit) {
        this.limit = limit;
    }

    /** Takes a slot if one is free; looking and taking are one step. */
    public boolean tryTake() {
        while (true) {
            int before = taken.get();
            if (before < limit) {
                if (taken.compareAndSet(before, before + 1)) {
                    return true;
                }
            } else if (!collectOwed()) {
                return false;
            }
        }
    }

    private boolean collectOwed() {
        int before = collected.get();
        int now = owed;
        if (now == before || !collected.compareAndSet(before, now)) {
            return now != before; // another thread collects them
        }
        taken.addAndGet(before - now);
        return true;
    }

    public void giveBack() {
        int left = taken.decrementAndGet();
        assert left >= 0 : "a slot was given back twice";
    }

    public int taken() {
        collectOwed();
        return taken.get();
    }

    public int limit() {
        return limit;
    }

    /** Sets another target; it never blocks and takes nothing away from who holds a slot. */
    public void limit(int limit) {
        this.limit = limit;
    }
}
