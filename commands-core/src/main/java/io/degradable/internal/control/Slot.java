package io.degradable.internal.control;

import javax.annotation.Nullable;

/** What is known of a target: one entry by hand, one from configuration. Guarded by the ledger. */
final class Slot {

    /** What was there when the first configuration was read: nobody can tell since when it said so. */
    static final long FROM_THE_START = Long.MIN_VALUE;

    @Nullable
    HandEntry hand;

    @Nullable
    Held configured;

    /** What was said there. */
    @Nullable
    FromConfiguration said;

    /** When the configuration began to say so, to be compared with stamps of entries by hand. */
    long configuredStamp = FROM_THE_START;

    /** What counts. */
    @Nullable
    Held winner() {
        Held byHand = hand == null ? null : hand.holds();
        return byHand == null || (configured != null && isConfiguredLater()) ? configured : byHand;
    }

    /** What the winner outranks. */
    @Nullable
    Held loser() {
        Held byHand = hand == null ? null : hand.holds();
        return byHand == null || configured == null ? null : isConfiguredLater() ? byHand : configured;
    }

    private boolean isConfiguredLater() {
        return hand == null || configuredStamp > hand.entry.stamp();
    }

    boolean isEmpty() {
        return hand == null && configured == null;
    }

    /** Whether a hand holds it, though what configuration says may outrank that. */
    boolean isHeldByHand() {
        return hand != null && hand.holds() != null;
    }

    /** The stamp of what is set now, which is later than everything before, wherever the wall clock has gone. */
    long nextStamp(long nowMillis) {
        long known = hand == null ? 0 : hand.entry.stamp();
        if (configured != null) {
            known = Math.max(known, configuredStamp);
        }
        return Math.max(nowMillis, known + 1);
    }
}
