package io.degradable.settings;

/** What a command does to the world, and so which answers may stand in for its own. */
public enum Effect {
    /** It only reads. */
    READ,
    /** It writes, and doing it twice would be wrong: no spare, no copy. */
    WRITE,
    /** It writes under an id by which the other side knows the operation, so that it may be asked again. */
    IDENTIFIED_WRITE,
    /** It checks what must not be taken for granted: without a live answer there is none. */
    FAIL_CLOSED;

    /** Whether a body that nobody waited for may have changed something. */
    public boolean writes() {
        return this == WRITE || this == IDENTIFIED_WRITE;
    }
}
