package io.degradable.model;

/** How one stage of a run ended; {@link StageReason} says why. */
public enum StageOutcome {
    ANSWERED,
    MISSED,
    FAILED,
    TIMED_OUT,
    REFUSED,
    SKIPPED
}
