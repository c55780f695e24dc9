package io.degradable.model;

/**
 * What a call moves on every channel, in the words of Hystrix. A finished call moves one or two of them;
 * {@link FinishedCall#events()} is the function.
 */
public enum EventType {
    /** The primary answered. */
    SUCCESS,
    /** See the {@link Trigger} of the same name, as for the next ten. */
    FAILURE,
    TIMEOUT,
    THREAD_POOL_REJECTED,
    SEMAPHORE_REJECTED,
    SHORT_CIRCUITED,
    OVERLOADED,
    SWITCH,
    LEVEL,
    RAMP,
    ADMISSION_REJECTED,
    RESPONSE_FROM_CACHE,
    /** The request itself was wrong, said the primary or a spare; no failure of the dependency. */
    BAD_REQUEST,
    /** The caller went away. */
    CANCELLED,
    /** A stage of the chain answered. */
    FALLBACK_SUCCESS,
    /** Stages were asked and none answered. */
    FALLBACK_FAILURE,
    /** Every stage that the trigger admits refused: breaker, bulkhead or quota. */
    FALLBACK_REJECTION,
    /** No stage is there that the trigger admits. */
    FALLBACK_MISSING
}
