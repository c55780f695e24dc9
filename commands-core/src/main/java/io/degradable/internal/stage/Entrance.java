package io.degradable.internal.stage;

import io.degradable.internal.guard.GuardMeter;
import io.degradable.model.FallbackContext;
import io.degradable.model.Trigger;

/** What the rules of entry of a stage ask about a run whose primary has not answered. Asked on the driver's thread. */
public interface Entrance {

    /** Which stages the run asks at all. */
    Route route();

    /** Why the primary did not answer. */
    Trigger trigger();

    /** What it failed with. */
    Throwable cause();

    /** Whether nobody knows what became of a write. */
    boolean outcomeUnknown();

    /** How the primary does. */
    GuardMeter primary();

    /** All that, for a body of the user. */
    FallbackContext fallbackContext();
}
