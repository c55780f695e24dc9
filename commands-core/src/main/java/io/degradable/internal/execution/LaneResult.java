package io.degradable.internal.execution;

import io.degradable.model.CommandResult;
import io.degradable.model.Level;
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
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * The primary did not answer, and of its chain one stage was asked, which did: as little as it takes to tell of that when
 * somebody asks. It holds settings of stages, and nothing of the run itself.
 */
final class LaneResult<R> extends CommandResult<R> {

    private static final Level[] LEVELS = Level.values();

    private final List<StageSettings> stages;
    private final short place;
    private final byte level;
    private final StageReason reason;
    private final long primaryNanos;
    private final long ageNanos;

    /**
     * What the primary's body threw. When it was refused it is made by whoever asks first; two who do at once may get two
     * that are alike.
     */
    private @Nullable Throwable cause;

    /**
     * An answer of the chain.
     *
     * @param stages the primary, and all of the chain
     * @param place of the stage that answered, in the chain
     * @param reason why the primary did not
     * @param thrown what its body threw; null when it was refused
     */
    LaneResult(
            @Nullable R value,
            long callId,
            long elapsedNanos,
            List<StageSettings> stages,
            int place,
            StageReason reason,
            @Nullable Throwable thrown,
            long primaryNanos,
            long ageNanos,
            Level level) {
        super(value, callId, elapsedNanos);
        this.stages = stages;
        this.place = (short) place;
        this.level = (byte) level.ordinal();
        this.reason = reason;
        this.cause = thrown;
        this.primaryNanos = primaryNanos;
        this.ageNanos = ageNanos;
    }

    @Override
    public Source source() {
        return stages.get(place + 1).kind();
    }

    @Override
    protected long ageNanos() {
        return ageNanos;
    }

    @Override
    public Trigger trigger() {
        return reason.trigger();
    }

    @Override
    public Optional<Throwable> cause() {
        Throwable known = cause;
        if (known == null) {
            StageSettings primary = stages.get(0);
            known = new NoAnswerException(primary.refersTo(), primary.name(), reason);
            cause = known;
        }
        return Optional.of(known);
    }

    @Override
    public List<StageReport> trail() {
        List<StageReport> trail = new ArrayList<>(place + 2);
        Throwable failure = reason.outcome() == StageOutcome.FAILED ? cause : null;
        trail.add(report(0, reason, primaryNanos, failure));
        for (int skipped = 1; skipped <= place; skipped++) {
            trail.add(report(skipped, StageReason.NOT_FOR_TRIGGER, 0, null));
        }
        trail.add(report(place + 1, StageReason.ANSWER, elapsedNanos() - primaryNanos, null));
        return List.copyOf(trail);
    }

    private StageReport report(int stage, StageReason why, long nanos, @Nullable Throwable failure) {
        StageSettings settings = stages.get(stage);
        return new StageReport(settings.name(), settings.kind(), why, Duration.ofNanos(nanos), failure);
    }

    @Override
    public Duration fallbackElapsed() {
        return Duration.ofNanos(elapsedNanos() - primaryNanos);
    }

    @Override
    public Level level() {
        return LEVELS[level];
    }

    @Override
    public boolean overrun() {
        return false;
    }

    @Override
    public boolean outcomeUnknown() {
        return false;
    }
}
