package io.degradable.internal.guard;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/**
 * What a guard runs: {@code run()} of a command, a spare, a cache read, a template. One instance serves all runs; the
 * command is its argument.
 *
 * @param <C> the command
 * @param <V> what the body yields; for a cache the lookup, else the answer
 */
public interface Body<C, V> {

    /**
     * Runs it.
     *
     * @param context what led to the chain; null for a primary
     */
    @Nullable
    V call(C command, @Nullable FallbackContext context) throws Exception;

    /** What a returned value means: {@link StageReason#ANSWER}, a reason to go on, or a failure. */
    StageReason judge(@Nullable V value);

    /** Whether it only hands out a {@link #constant}: that runs nothing of the user, takes no time, and is not timed. */
    default boolean isConstant() {
        return false;
    }

    /** What it hands out; throws nothing. */
    @Nullable
    default V constant() {
        throw new UnsupportedOperationException("no constant");
    }
}
