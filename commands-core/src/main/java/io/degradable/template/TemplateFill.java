package io.degradable.template;

import javax.annotation.Nullable;

/**
 * Puts what the command already knows (an id, a name) into a template. Runs on the caller's own thread and must only
 * compute; what it throws fails the stage.
 */
@FunctionalInterface
public interface TemplateFill<T, C, R> {

    /** The answer; null is a miss. */
    @Nullable
    R fill(T template, C command);
}
