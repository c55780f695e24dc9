package io.degradable.internal.execution;

import io.degradable.model.CommandKey;
import io.degradable.model.Detour;
import io.degradable.model.NoAnswerException;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import io.degradable.settings.StageSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The primary did not answer, and of its chain one stage was asked, which did: as little as it takes to tell of that when
 * somebody asks. It holds settings of stages, and nothing of the run itself.
 */
final class LaneDetour implements Detour {

    private final List<StageSettings> stages;
    private final int place;
    private final StageReason reason;
    private final Throwable cause;
    private final long primaryNanos;
    private final long fallbackNanos;
    private final long ageNanos;

    /**
     * A detour that ended well.
     *
     * @param stages the primary, and all of the chain
     * @param place of the one that answered, in the chain
     * @param thrown what the primary's body threw; null when it was refused
     */
    LaneDetour(
            CommandKey key,
            List<StageSettings> stages,
            int place,
            StageReason reason,
            @Nullable Throwable thrown,
            long primaryNanos,
            long fallbackNanos,
            long ageNanos) {
        this.stages = stages;
        this.place = place;
        this.reason = reason;
        this.cause = thrown != null
                ? thrown
                : new NoAnswerException(key, stages.get(0).name(), reason);
        this.primaryNanos = primaryNanos;
        this.fallbackNanos = fallbackNanos;
        this.ageNanos = ageNanos;
    }

    @Override
    public Trigger trigger() {
        return reason.trigger();
    }

    @Override
    public Throwable cause() {
        return cause;
    }

    @Override
    public List<StageReport> trail() {
        List<StageReport> trail = new ArrayList<>(place + 2);
        trail.add(report(0, reason, primaryNanos, reason.outcome() == StageOutcome.FAILED ? cause : null));
        for (int skipped = 0; skipped < place; skipped++) {
            trail.add(report(skipped + 1, StageReason.NOT_FOR_TRIGGER, 0, null));
        }
        trail.add(report(place + 1, StageReason.ANSWER, fallbackNanos, null));
        return List.copyOf(trail);
    }

    private StageReport report(int stage, StageReason why, long nanos, @Nullable Throwable failure) {
        StageSettings settings = stages.get(stage);
        Source kind = settings.kind();
        return new StageReport(settings.name(), kind, why, Duration.ofNanos(nanos), failure);
    }

    @Override
    public long ageNanos() {
        return ageNanos;
    }

    @Override
    public long fallbackNanos() {
        return fallbackNanos;
    }

    @Override
    public boolean outcomeUnknown() {
        return false;
    }
}
