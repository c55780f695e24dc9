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

    /** Slots that a holder at the end of the stack could not {@link #giveBack}; a field, for who cannot call a method. */
    public volatile int owed; // written in synchronized (this)

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
        if (owed == 0) {
            return false;
        }
        synchronized (this) {
            taken.addAndGet(-owed);
            owed = 0;
        }
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
