package io.degradable.internal.guard;

/** Whoever drives a run, as the attempts of that run see it. */
public interface Driver {

    /** Somebody else has decided the attempt under way. Called once for an attempt on a worker, and never blocks. */
    void decided();

    /** What the threads that work for the run take along. Asked on the driver's thread. */
    CallContext context();
}
