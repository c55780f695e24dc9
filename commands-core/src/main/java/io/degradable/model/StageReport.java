package io.degradable.model;

import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * What one stage did in one run.
 *
 * @param stage the stage's name in the chain: {@code primary}, {@code spare}, {@code cache}, {@code static}
 * @param kind what kind of stage it is
 * @param reason why it ended as it did
 * @param elapsed from entering the stage to its end; zero when it was skipped
 * @param cause of a stage that failed or timed out: what its body threw, or a stackless exception of ours; else null
 */
public record StageReport(
        String stage,
        Source kind,
        StageReason reason,
        Duration elapsed,
        @Nullable Throwable cause) implements Serializable {

    public StageOutcome outcome() {
        return reason.outcome();
    }

    /** For instance {@code spare failed: exception after 12 ms (java.io.IOException: down)}. */
    @Override
    public String toString() {
        return switch (outcome()) {
            case ANSWERED -> stage + " answered after " + elapsed.toMillis() + " ms";
            case SKIPPED -> stage + " skipped: " + reason.text();
            case REFUSED -> stage + " refused: " + reason.text();
            case MISSED -> stage + " missed: " + reason.text();
            case TIMED_OUT -> stage + " timed out (" + reason.text() + ") after " + elapsed.toMillis() + " ms";
            case FAILED ->
                stage + " failed: " + reason.text() + " after " + elapsed.toMillis() + " ms"
                        + (cause == null ? "" : " (" + Texts.of(cause) + ")");
        };
    }
}
