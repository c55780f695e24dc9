package io.degradable.internal.stage;

import io.degradable.internal.guard.Attempt;
import io.degradable.model.CommandKey;
import io.degradable.model.NoAnswerException;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.model.StageTimeoutException;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * What one stage did in one run. Everything told about it is derived when somebody asks.
 *
 * @param stage the stage
 * @param attempt how it ended
 */
public record Step<C, V, R>(Stage<C, V, R> stage, Attempt<C, V> attempt) {

    public StageReason reason() {
        return attempt.reason();
    }

    public StageOutcome outcome() {
        return attempt.outcome();
    }

    public Source kind() {
        return stage.settings().kind();
    }

    public long endNanos() {
        return attempt.endNanos();
    }

    /** The answer of a step that has one. */
    public @Nullable R answer() {
        return stage.body().answer(attempt.value());
    }

    public long ageNanos() {
        return stage.body().ageNanos(attempt.value());
    }

    /** Why there is no answer: what the body threw, or a stackless exception of ours in its place. */
    public Throwable cause(CommandKey key) {
        Throwable failure = attempt.failure();
        if (failure != null && outcome() == StageOutcome.FAILED) {
            return failure;
        }
        return switch (outcome()) {
            case TIMED_OUT -> new StageTimeoutException(key, name(), reason(), elapsed(), attempt.bodyStarted());
            case FAILED -> new NoAnswerException(key, name(), StageReason.NULL_ANSWER);
            default -> new NoAnswerException(key, name(), reason());
        };
    }

    /** The report of this step in a trail. */
    public StageReport report() {
        return new StageReport(name(), kind(), reason(), elapsed(), attempt.failure());
    }

    private String name() {
        return stage.settings().name();
    }

    private Duration elapsed() {
        return Duration.ofNanos(attempt.endNanos() - attempt.startNanos());
    }
}
