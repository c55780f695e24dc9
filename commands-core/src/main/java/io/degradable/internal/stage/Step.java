package io.degradable.internal.stage;

import io.degradable.internal.guard.Attempt;
import io.degradable.internal.guard.Guard;
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
 * <p>Threading: used by the driver of the run, which is one thread at a time.
 */
public final class Step<C, V, R> {

    private final Stage<C, V, R> stage;
    private final Attempt<C, V> attempt;
    private @Nullable Throwable cause;

    Step(Stage<C, V, R> stage, Attempt<C, V> attempt) {
        this.stage = stage;
        this.attempt = attempt;
    }

    public StageReason reason() {
        return attempt.reason();
    }

    public StageOutcome outcome() {
        return attempt.outcome();
    }

    public Guard guard() {
        return stage.guard();
    }

    public Source kind() {
        return stage.settings().kind();
    }

    public long endNanos() {
        return attempt.endNanos();
    }

    public boolean bodyStarted() {
        return attempt.bodyStarted();
    }

    /** Whether the answer came after the limit, from the caller's own thread. */
    public boolean overrun() {
        return attempt.overrun();
    }

    /** The answer of a step that has one. */
    public @Nullable R answer() {
        return stage.body().answer(attempt.value());
    }

    public long ageNanos() {
        return stage.body().ageNanos(attempt.value());
    }

    /** What the body threw. */
    public @Nullable Throwable failure() {
        return attempt.failure();
    }

    /** What the body threw, or a stackless exception of ours in its place; the same one whenever it is asked for. */
    public Throwable cause(CommandKey key) {
        if (cause == null) {
            cause = makeCause(key);
        }
        return cause;
    }

    private Throwable makeCause(CommandKey key) {
        Throwable thrown = attempt.failure();
        if (outcome() == StageOutcome.TIMED_OUT) {
            Throwable late = new StageTimeoutException(key, name(), reason(), elapsed(), attempt.bodyStarted());
            return thrown == null ? late : late.initCause(thrown);
        }
        if (reason() == StageReason.FAILED_CLOSED && thrown == null) {
            return new StageTimeoutException(key, name(), StageReason.TIMEOUT, elapsed(), attempt.bodyStarted());
        }
        if (outcome() == StageOutcome.FAILED) {
            StageReason why = reason() == StageReason.CANCELLED ? StageReason.CANCELLED : StageReason.NULL_ANSWER;
            return thrown == null ? new NoAnswerException(key, name(), why) : thrown;
        }
        return new NoAnswerException(key, name(), reason());
    }

    /** What the body threw when it was the caller who went away: his interrupt, as it reached the body. */
    public @Nullable Throwable interrupt() {
        return reason() == StageReason.CANCELLED ? attempt.failure() : null;
    }

    /** The report of this step in a trail; a stage that failed or timed out has a cause there. */
    public StageReport report(CommandKey key) {
        boolean failed = outcome() == StageOutcome.FAILED || outcome() == StageOutcome.TIMED_OUT;
        return new StageReport(name(), kind(), reason(), elapsed(), failed ? cause(key) : null);
    }

    private String name() {
        return stage.settings().name();
    }

    private Duration elapsed() {
        return Duration.ofNanos(attempt.endNanos() - attempt.startNanos());
    }
}
