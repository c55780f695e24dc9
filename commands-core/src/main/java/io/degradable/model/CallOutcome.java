package io.degradable.model;

import java.util.Locale;

/** How a call ended: exactly one of these, and over any run they add up to the calls. */
public enum CallOutcome {
    /** The primary answered. */
    NORMAL,
    /** Another source answered, whoever chose it. */
    DEGRADED,
    /** No answer, and the primary's body never started. */
    REJECTED,
    /** No answer, and the primary's body had started. */
    FAILED,
    /** The request itself was wrong. */
    BAD_REQUEST,
    /** The caller went away. */
    CANCELLED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The word for tags: lower case. */
    public String tag() {
        return tag;
    }
}
