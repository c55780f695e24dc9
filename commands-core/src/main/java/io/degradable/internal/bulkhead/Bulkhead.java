package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;

/**
 * Bounds how many bodies run at once. A slot belongs to the body: it is given back when the body ends, not when its caller
 * leaves.
 *
 * <p>Threading: every method may be called from any thread.
 */
public sealed interface Bulkhead permits WorkerBulkhead, SemaphoreBulkhead, InlineBulkhead {

    /** Takes a slot, or says at once that there is none; nobody waits. */
    boolean tryEnter();

    /** Gives a slot back. */
    void exit();

    /** Why {@link #tryEnter} refused. */
    StageReason full();

    /** Bodies that may run at once now; 0 for no bound. */
    int limit();

    /** Bodies that run now. */
    int active();

    /** Calls that wait for a thread now. */
    int queued();
}
