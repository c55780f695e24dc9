package io.degradable.model;

import java.util.List;
import javax.annotation.Nullable;

/**
 * How a run came to its answer when its primary did not give it, as a {@link CommandResult} tells of it; made by the
 * library.
 *
 * <p>Threading: immutable.
 */
public interface Detour {

    /** Why the primary did not answer; {@link Trigger#NONE} when it did. */
    Trigger trigger();

    /** The primary's failure; null when it answered. */
    @Nullable
    Throwable cause();

    /** What each stage did, the primary first. */
    List<StageReport> trail();

    /** The age of the answer in nanoseconds, or {@link CommandResult#AGELESS}. */
    long ageNanos();

    /** From the end of the primary to the answer, in nanoseconds. */
    long fallbackNanos();

    /** Whether a write may have been done all the same. */
    boolean outcomeUnknown();
}
