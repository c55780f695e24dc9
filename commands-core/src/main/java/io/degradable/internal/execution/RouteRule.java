package io.degradable.internal.execution;

import io.degradable.internal.level.RecoveryRamp;
import io.degradable.internal.stage.Route;
import javax.annotation.Nullable;

/**
 * Which route a run takes: the same for all of them, or, while the primary gets its calls back by and by, the full one for a
 * share.
 *
 * @param route of those that the ramp does not let through; of all when there is none
 * @param ramp lets a share of the runs through; null for none
 */
record RouteRule(Route route, @Nullable RecoveryRamp ramp) {

    /** Whether every run takes the full route. */
    boolean isAlwaysFull() {
        return route.isFull();
    }

    /** Whether runs are told apart, by their ids. */
    boolean needsId() {
        return ramp != null;
    }

    /** The share of the runs that ask the primary, in percent. */
    int share() {
        if (ramp != null) {
            return ramp.share();
        }
        return route.isFull() ? 100 : 0;
    }

    /** The route of a run. */
    Route of(long callId) {
        return ramp != null && ramp.admits(callId) ? Route.FULL : route;
    }
}
