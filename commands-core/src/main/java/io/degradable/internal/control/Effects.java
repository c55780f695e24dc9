package io.degradable.internal.control;

import io.degradable.control.Position;
import io.degradable.control.Target;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What overrides act on: the commands of a container.
 *
 * <p>Threading: every method may be called from any thread, and no lock of the overrides is held.
 */
public interface Effects {

    /**
     * Other holds count from now on. They can be {@linkplain Overrides#inForce asked for} already. Two changes at once may be
     * told at once and in either order, so what is done about it goes by what is asked for.
     */
    void changed(List<Move> moves);

    /** Why a hand may not hold a target there, naming what is missing; null when it may, or when the target is not known. */
    @Nullable
    String refusal(Target target, Position position);

    /** Whether there is such a command, group or stage. */
    boolean isKnown(Target target);

    /** The commands that do not obey, or serve from a lower stage, and why; empty when all obey. */
    String notServed(Target target, Position position);
}
