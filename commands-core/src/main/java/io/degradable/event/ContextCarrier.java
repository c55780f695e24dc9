package io.degradable.event;

import javax.annotation.Nullable;

/**
 * Takes something that belongs to the calling thread along to the threads that work for its call: a request id for the log,
 * a security context, a trace. Given to {@code Commands.builder().carry(...)}.
 *
 * <p>It is asked once for each call that leaves its thread, on that thread. What it captured is installed for each body,
 * key function, predicate and template fill of the run that another thread runs, and taken away after.
 *
 * <p>A carrier never changes the outcome of a call: one that throws is counted as a mistake of its author, and the rest goes
 * on without it.
 *
 * <p>Threading: {@link #capture} runs on calling threads, several at once.
 */
@FunctionalInterface
public interface ContextCarrier {

    /** Captures what the calling thread has; null when that is nothing. */
    @Nullable
    Captured capture();

    /** What one call carries. Installed by several threads, one after the other or, for a body left behind, at once. */
    @FunctionalInterface
    interface Captured {

        /**
         * Installs it on the calling thread.
         *
         * @return puts back what was there before, on the same thread
         */
        Runnable install();
    }
}
