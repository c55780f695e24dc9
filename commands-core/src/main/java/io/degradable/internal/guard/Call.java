package io.degradable.internal.guard;

import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/**
 * One call of a guard, and afterwards the record of how it ended. On a worker it is an {@link Attempt}, on the thread of who
 * calls a {@link HereCall}.
 *
 * <p>Threading: belongs to the driver of the run, which is one thread at a time.
 *
 * @param <V> what the body yields
 */
public abstract class Call<V> {

    long startNanos;
    long endNanos;
    boolean bodyStarted;
    boolean overrun;
    boolean skipped;

    @Nullable
    StageReason reason;

    @Nullable
    V value;

    /** What the body threw, whether or not that is how it ended for the caller. */
    @Nullable
    Throwable bodyFailure;

    /** Why it ended. */
    public final StageReason reason() {
        StageReason ended = reason;
        if (ended == null) {
            throw new IllegalStateException("the call has not ended");
        }
        return ended;
    }

    /** How it ended, coarsely. */
    public final StageOutcome outcome() {
        return reason().outcome();
    }

    /** What the body returned. */
    public final @Nullable V value() {
        return value;
    }

    /** What the body threw, when that is how it ended for the caller. */
    public abstract @Nullable Throwable failure();

    public final boolean bodyStarted() {
        return bodyStarted;
    }

    public final long startNanos() {
        return startNanos;
    }

    public final long endNanos() {
        return endNanos;
    }

    /** Whether the body ended after the limit, on the caller's own thread, which could not leave. */
    public final boolean overrun() {
        return overrun;
    }

    /** Whether its stage did not bring it to the guard, so that no figure of the guard may move. */
    public final boolean isSkipped() {
        return skipped;
    }

    /** Whether it ended without going to a worker, so that nobody is going to tell. */
    public final boolean isEnded() {
        return reason != null;
    }

    /** Waits on the thread that was to be told until it is decided, and decides when the limit or an interrupt comes. */
    public void await() {}

    /** Nobody waits any more; without effect once it is decided. */
    public void cancel() {}

    /** Ends it before a body was run. */
    final void endUnstarted(StageReason why) {
        endNanos = startNanos;
        reason = why;
    }
}
