package io.degradable.internal.breaker;

/** Which calls a ramp lets through, and where a step of it leads: total functions on values. */
final class RampRule {

    /** What follows a step. */
    enum Next {
        /** Not decided yet. */
        STAY,
        /** A failed round. */
        OPEN,
        /** The dependency bears the share below, but not this one. */
        DOWN,
        /** The next share, or closed after the last. */
        UP
    }

    private RampRule() {}

    /**
     * Whether the call of a number, counted from 0, is let through. Of the first n calls exactly the whole part of their
     * share is, as evenly as whole calls can be (the steps of Bresenham's line, 1965).
     */
    static boolean admits(long number, int sharePercentage) {
        return (number + 1) % 100 * sharePercentage % 100 < sharePercentage;
    }

    /**
     * Judges a step by its decisions. One that is half as bad as what opens the breaker, and twice as bad as the share below,
     * goes down: it is the load that hurts. A dependency that is always that bad goes up all the same, since a closed breaker
     * bears it.
     *
     * @param slow slow ones, and ones in flight for too long
     * @param needed how many decisions a step takes
     * @param badBelow how many of them were bad at the share below; negative when there is none
     */
    static Next next(Rates rates, long good, long failed, long slow, int needed, long badBelow) {
        long of = of(good, failed, slow, needed);
        if (rates.reached(failed, slow, of, "") != null) {
            return Next.OPEN;
        }
        if (good + failed + slow < needed) {
            return Next.STAY;
        }
        boolean halfAsBad = rates.reached(2 * failed, 2 * slow, of, "") != null;
        return halfAsBad && badBelow >= 0 && failed + slow >= 2 * badBelow ? Next.DOWN : Next.UP;
    }

    /**
     * Out of how many decisions the bad ones are judged. While some are missing it is as if these had been good, so a step
     * fails as soon as they cannot prevent it any more.
     */
    static long of(long good, long failed, long slow, int needed) {
        return Math.max(good + failed + slow, needed);
    }
}
