package io.degradable.internal.stage;

import io.degradable.internal.bulkhead.Slots;
import io.degradable.internal.window.EnumCounts;
import io.degradable.model.StageReason;
import io.degradable.settings.EntrySettings;
import javax.annotation.Nullable;

/**
 * What a stage keeps when its settings change: what was counted, who is in it, how much of its quota is used up.
 *
 * <p>Threading: what is in it may be used by any thread; all methods belong to who makes stages, one
 * thread at a time.
 */
public final class StageRecord {

    final EnumCounts<StageReason> ended = new EnumCounts<>(StageReason.class);
    private @Nullable RehearsalCounts rehearsed;
    private @Nullable Slots places;
    private @Nullable Quota quota;
    private double quotaPerSecond;

    /** The rehearsals of a stage that has them. */
    RehearsalCounts rehearsed() {
        if (rehearsed == null) {
            rehearsed = new RehearsalCounts();
        }
        return rehearsed;
    }

    /** The places of a stage that takes a bounded number of runs at once; null for any number. */
    @Nullable
    Slots places(EntrySettings entry) {
        if (entry.atMost() == 0) {
            places = null; // those in it give back what they took to what they took it from
        } else if (places == null) {
            places = new Slots(entry.atMost());
        } else {
            places.limit(entry.atMost());
        }
        return places;
    }

    /** The quota of a stage that has one, 0 for none; begun anew when its rate changes. */
    public @Nullable Quota quota(double perSecond, long nowNanos) {
        if (quotaPerSecond != perSecond) {
            quotaPerSecond = perSecond;
            quota = perSecond == 0 ? null : new Quota(perSecond, nowNanos);
        }
        return quota;
    }
}
