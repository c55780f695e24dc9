package io.degradable.internal.stage;

import io.degradable.internal.guard.Call;
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
    private final Call<V> call;
    private @Nullable Throwable cause;

    Step(Stage<C, V, R> stage, Call<V> call) {
        this.stage = stage;
        this.call = call;
    }

    public StageReason reason() {
        return call.reason();
    }

    public StageOutcome outcome() {
        return call.outcome();
    }

    public Guard guard() {
        return stage.guard();
    }

    public Source kind() {
        return stage.settings().kind();
    }

    public long startNanos() {
        return call.startNanos();
    }

    public long endNanos() {
        return call.endNanos();
    }

    public boolean bodyStarted() {
        return call.bodyStarted();
    }

    /** Whether the answer came after the limit, from the caller's own thread. */
    public boolean overrun() {
        return call.overrun();
    }

    /** The answer of a step that has one. */
    public @Nullable R answer() {
        return stage.body().answer(call.value());
    }

    public long ageNanos() {
        return stage.body().ageNanos(call.value());
    }

    /** What the body threw. */
    public @Nullable Throwable failure() {
        return call.failure();
    }

    /** What the body threw, or a stackless exception of ours in its place; the same one whenever it is asked for. */
    public Throwable cause(CommandKey key) {
        if (cause == null) {
            cause = makeCause(key);
        }
        return cause;
    }

    private Throwable makeCause(CommandKey key) {
        Throwable thrown = call.failure();
        if (outcome() == StageOutcome.TIMED_OUT) {
            Throwable late = new StageTimeoutException(key, name(), reason(), elapsed(), call.bodyStarted());
            return thrown == null ? late : late.initCause(thrown);
        }
        if (reason() == StageReason.FAILED_CLOSED && thrown == null) {
            return new StageTimeoutException(key, name(), StageReason.TIMEOUT, elapsed(), call.bodyStarted());
        }
        if (outcome() == StageOutcome.FAILED) {
            StageReason why = reason() == StageReason.CANCELLED ? StageReason.CANCELLED : StageReason.NULL_ANSWER;
            return thrown == null ? new NoAnswerException(key.name(), name(), why) : thrown;
        }
        return new NoAnswerException(key.name(), name(), reason());
    }

    /** What the body threw when it was the caller who went away: his interrupt, as it reached the body. */
    public @Nullable Throwable interrupt() {
        return reason() == StageReason.CANCELLED ? call.failure() : null;
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
        return Duration.ofNanos(call.endNanos() - call.startNanos());
    }
}
