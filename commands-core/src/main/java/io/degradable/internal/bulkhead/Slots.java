package io.degradable.internal.bulkhead;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A number of slots, never more of them taken than there are. Who takes one gives it back exactly once.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Slots {

    private final int limit;
    private final AtomicInteger taken = new AtomicInteger();

    public Slots(int limit) {
        this.limit = limit;
    }

    /** Takes a slot if one is free; looking and taking are one step. */
    public boolean tryTake() {
        int before;
        do {
            before = taken.get();
            if (before >= limit) {
                return false;
            }
        } while (!taken.compareAndSet(before, before + 1));
        return true;
    }

    public void giveBack() {
        int left = taken.decrementAndGet();
        assert left >= 0 : "a slot was given back twice";
    }

    public int taken() {
        return taken.get();
    }

    public int limit() {
        return limit;
    }
}
