package io.degradable.model;

/** The names of the HTTP headers that carry provenance and advice. */
public final class Headers {

    /** Who answered: {@code primary}, {@code spare}, {@code cache}, {@code static}, {@code none}. */
    public static final String SOURCE = "X-Data-Source";
    /** The answer's age in whole seconds; absent for a template. */
    public static final String AGE = "X-Data-Age";
    /** Why the primary did not answer; only when degraded. */
    public static final String TRIGGER = "X-Degraded-Trigger";
    /** Milliseconds from the primary's end to the answer; only when degraded. */
    public static final String FALLBACK_ELAPSED = "X-Fallback-Elapsed";
    /** {@code true} when a write may have been done all the same; absent otherwise. */
    public static final String OUTCOME_UNKNOWN = "X-Outcome-Unknown";
    /** The call's id, as in the log. */
    public static final String CALL_ID = "X-Call-Id";

    /** Whole seconds until it is worth to ask again; only when that is known. RFC 9110, section 10.2.3. */
    public static final String RETRY_AFTER = "Retry-After";

    private Headers() {}
}
