package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;

/** No bound: for bodies that only look something up in memory. */
public final class InlineBulkhead implements Bulkhead {

    public static final InlineBulkhead INSTANCE = new InlineBulkhead();

    private InlineBulkhead() {}

    @Override
    public boolean tryEnter() {
        return true;
    }

    @Override
    public void exit() {
        // Nothing was taken.
    }

    @Override
    public StageReason full() {
        throw new AssertionError("an inline body is never refused");
    }

    @Override
    public int limit() {
        return 0;
    }

    @Override
    public int active() {
        return 0;
    }

    @Override
    public int queued() {
        return 0;
    }
}
