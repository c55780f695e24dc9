package io.degradable.internal.stage;

import io.degradable.model.FallbackContext;
import javax.annotation.Nullable;

/** Gets a live answer: {@code run()} of a command, or what a spare does. */
@FunctionalInterface
public interface LiveCall<C, R> {

    @Nullable
    R call(C command, @Nullable FallbackContext context) throws Exception;
}
