package io.degradable.model;

/** What a breaker does with calls. */
public enum CircuitState {
    /** Lets all calls through and measures them. */
    CLOSED,
    /** Lets none through until its open time is over. */
    OPEN,
    /** Lets a limited number of probes through, which decide. */
    HALF_OPEN,
    /** Its probes were good: lets a growing share of the calls through, and measures them, before it closes. */
    RAMPING,
    /** Held open by hand: lets none through, whatever its measurements and times say. */
    FORCED_OPEN,
    /** Held closed by hand: lets all calls through and measures them, and does not open. */
    FORCED_CLOSED,
    /** Switched off in the settings: lets all calls through and measures nothing. */
    DISABLED;

    /** Whether every call gets through. What knows only open and closed calls the other states open. */
    public boolean letsAllThrough() {
        return this == CLOSED || this == FORCED_CLOSED || this == DISABLED;
    }
}
