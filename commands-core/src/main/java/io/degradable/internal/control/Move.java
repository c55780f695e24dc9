package io.degradable.internal.control;

import io.degradable.control.Target;
import javax.annotation.Nullable;

/**
 * What holds a target is another one than before.
 *
 * @param before what held it; null for nothing
 * @param after what holds it now; null for nothing
 * @param atOnce whether calls return to the primary without a recovery ramp
 */
public record Move(
        Target target, @Nullable Held before, @Nullable Held after, boolean atOnce) {}
