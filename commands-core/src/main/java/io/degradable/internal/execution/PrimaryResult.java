package io.degradable.internal.execution;

import io.degradable.model.CommandResult;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.annotation.Nullable;

/** The primary answered at its first attempt: there is nothing else to tell. */
final class PrimaryResult<R> extends CommandResult<R> {

    private final Level level;
    private final boolean overrun;

    PrimaryResult(@Nullable R value, long callId, long elapsedNanos, Level level, boolean overrun) {
        super(value, callId, elapsedNanos);
        this.level = level;
        this.overrun = overrun;
    }

    @Override
    public Source source() {
        return Source.PRIMARY;
    }

    @Override
    protected long ageNanos() {
        return 0;
    }

    @Override
    public Trigger trigger() {
        return Trigger.NONE;
    }

    @Override
    public Optional<Throwable> cause() {
        return Optional.empty();
    }

    @Override
    public List<StageReport> trail() {
        return List.of(new StageReport(Assembly.PRIMARY, Source.PRIMARY, StageReason.ANSWER, elapsed(), null));
    }

    @Override
    public Duration fallbackElapsed() {
        return Duration.ZERO;
    }

    @Override
    public Level level() {
        return level;
    }

    @Override
    public boolean overrun() {
        return overrun;
    }

    @Override
    public boolean outcomeUnknown() {
        return false;
    }
}
