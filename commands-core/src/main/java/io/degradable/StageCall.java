package io.degradable;

import io.degradable.model.FallbackContext;
import javax.annotation.Nullable;

/**
 * A spare that is a function: another way to a live answer. Runs on a thread of the stage's own pool.
 *
 * @param <C> the command, whose arguments it reads
 * @param <R> the answer
 */
@FunctionalInterface
public interface StageCall<C, R> {

    /**
     * Gets the answer.
     *
     * @param context why the primary did not answer; never null, and nothing in it is
     * @return the answer; null is a miss unless the stage says {@code allowNull()}
     */
    @Nullable
    R call(C command, FallbackContext context) throws Exception;
}
