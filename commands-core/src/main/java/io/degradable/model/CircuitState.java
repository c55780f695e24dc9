package io.degradable.model;

/** What a breaker does with calls. */
public enum CircuitState {
    /** Lets all calls through and measures them. */
    CLOSED,
    /** Lets none through until its open time is over. */
    OPEN,
    /** Lets a limited number of probes through, which decide. */
    HALF_OPEN,
    /** Switched off in the settings: lets all calls through and measures nothing. */
    DISABLED
}
