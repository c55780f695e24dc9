package io.degradable.internal.execution;

import io.degradable.model.CommandResult;
import javax.annotation.Nullable;

/** A run that is over. */
public interface FinishedRun<R> {

    /** Whether it has an answer. */
    boolean isAnswered();

    /** The answer alone. */
    @Nullable
    R answer();

    /** The answer with its provenance. */
    CommandResult<R> result();

    /** What the caller gets to see instead of an answer; a user's own failure as it is. */
    Throwable failure();
}
