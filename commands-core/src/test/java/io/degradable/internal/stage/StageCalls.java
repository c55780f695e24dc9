package io.degradable.internal.stage;

import io.degradable.internal.guard.Attempt;
import io.degradable.internal.guard.GuardMeter;
import io.degradable.internal.guard.WaitingDriver;
import io.degradable.model.FallbackContext;

/** Runs a stage from its beginning to its end, as the synchronous driver does. */
final class StageCalls {

    private StageCalls() {}

    static <C, V, R> Step<C, V, R> first(Stage<C, V, R> stage, C command, long nowNanos, long deadlineNanos) {
        Attempt<C, V> attempt = stage.beginFirst(command, nowNanos, deadlineNanos, new WaitingDriver());
        attempt.await();
        Step<C, V, R> step = stage.endFirst(attempt);
        stage.left(step.reason());
        return step;
    }

    static <C, V, R> Step<C, V, R> next(
            Stage<C, V, R> stage,
            C command,
            FallbackContext context,
            GuardMeter primary,
            long nowNanos,
            long chainEndNanos) {
        Attempt<C, V> attempt =
                stage.beginNext(command, context, primary, nowNanos, chainEndNanos, new WaitingDriver());
        attempt.await();
        return stage.endNext(attempt);
    }
}
