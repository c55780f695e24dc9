package io.degradable.internal.bulkhead;

import io.degradable.time.Ticker;
import java.util.concurrent.Executor;

/** A bulkhead that runs bodies on threads of its own, so that their callers can leave. */
public sealed interface WorkerBulkhead extends Bulkhead permits ThreadPoolBulkhead, VirtualThreadBulkhead {

    /**
     * Hands a body that holds a slot to a thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #shutdown}
     */
    void start(Runnable body);

    /** Takes a body that has not started out of the queue. */
    void remove(Runnable body);

    /** Whether the calling thread is one of its workers, which holds a slot already. */
    boolean isCalledByWorker();

    /**
     * Takes one of the slots for callers who run the body themselves when no worker is free; false when there is none. It is
     * given back by {@link #exitAsCaller}.
     */
    boolean tryEnterAsCaller();

    /** Gives a caller's slot back. */
    void exitAsCaller();

    /** Lets no further body in. */
    void shutdown();

    /** Waits for the bodies that are in until a moment or an interrupt, and says whether all have ended. */
    boolean awaitEnd(Ticker ticker, long untilNanos);

    /**
     * Cancels all {@linkplain Task tasks} that are in, and interrupts what else runs.
     *
     * @param interrupts runs what interrupts, which can be held up
     */
    void cancelAll(Executor interrupts);
}
