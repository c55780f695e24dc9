package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;

/** Bodies run on their callers' threads, and only so many at once. */
public final class SemaphoreBulkhead implements Bulkhead {

    private final Slots slots;

    public SemaphoreBulkhead(int limit) {
        this.slots = new Slots(limit);
    }

    @Override
    public boolean tryEnter() {
        return slots.tryTake();
    }

    @Override
    public void exit() {
        slots.giveBack();
    }

    @Override
    public StageReason full() {
        return StageReason.SEMAPHORE_FULL;
    }

    /** Sets another target. */
    public void resize(int limit) {
        slots.limit(limit);
    }

    @Override
    public int limit() {
        return slots.limit();
    }

    @Override
    public int active() {
        return slots.taken();
    }

    @Override
    public int queued() {
        return 0;
    }

    /** For who gives a slot back at the end of the stack. */
    public Slots slots() {
        return slots;
    }
}
