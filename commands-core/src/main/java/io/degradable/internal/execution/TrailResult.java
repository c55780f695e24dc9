package io.degradable.internal.execution;

import io.degradable.model.CommandResult;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageReport;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.annotation.Nullable;

/** An answer that took more than one look, with all there is to tell of it. */
final class TrailResult<R> extends CommandResult<R> {

    /**
     * What is told besides.
     *
     * @param cause null when the primary answered
     */
    record Told(
            Source source,
            long ageNanos,
            Trigger trigger,
            @Nullable Throwable cause,
            List<StageReport> trail,
            long fallbackNanos,
            Level level,
            boolean overrun,
            boolean outcomeUnknown) {}

    private final Told told;

    TrailResult(@Nullable R value, long callId, long elapsedNanos, Told told) {
        super(value, callId, elapsedNanos);
        this.told = told;
    }

    @Override
    public Source source() {
        return told.source();
    }

    @Override
    protected long ageNanos() {
        return told.ageNanos();
    }

    @Override
    public Trigger trigger() {
        return told.trigger();
    }

    @Override
    public Optional<Throwable> cause() {
        return Optional.ofNullable(told.cause());
    }

    @Override
    public List<StageReport> trail() {
        return told.trail();
    }

    @Override
    public Duration fallbackElapsed() {
        return Duration.ofNanos(told.fallbackNanos());
    }

    @Override
    public Level level() {
        return told.level();
    }

    @Override
    public boolean overrun() {
        return told.overrun();
    }

    @Override
    public boolean outcomeUnknown() {
        return told.outcomeUnknown();
    }
}
