package io.degradable.model;

import java.util.Locale;

/**
 * Why the <em>primary</em> did not answer. It is settled once per call and stays the same along the chain. All but
 * {@link #NONE} are also an {@link EventType} of the same name.
 */
public enum Trigger {
    /** The primary answered, or its bad request or the caller's cancellation ended the call. */
    NONE,
    /** The body threw. */
    FAILURE,
    /** The stage's time limit, or the deadline of the run, came first. */
    TIMEOUT,
    /** No room in the thread pool. */
    THREAD_POOL_REJECTED,
    /** No room in the semaphore. */
    SEMAPHORE_REJECTED,
    /** The breaker did not grant a permit. */
    SHORT_CIRCUITED,
    /** The dependency, or a command called by the body, shed the call itself. */
    OVERLOADED,
    /** A human's switch took the call away from the primary. */
    SWITCH,
    /** The degradation level did. */
    LEVEL,
    /** The recovery ramp did. */
    RAMP,
    /** Admission refused the call. */
    ADMISSION_REJECTED,
    /** A copy was young enough to be served without asking the primary, as its command says. */
    RESPONSE_FROM_CACHE;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The word for tags and headers: lower case. */
    public String tag() {
        return tag;
    }
}
