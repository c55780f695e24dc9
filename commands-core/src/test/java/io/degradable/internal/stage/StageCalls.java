package io.degradable.internal.stage;

import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.GuardMeter;
import io.degradable.internal.guard.WaitingDriver;
import io.degradable.model.FallbackContext;
import io.degradable.model.Trigger;

/** Runs a stage from its beginning to its end, as the synchronous driver does. */
final class StageCalls {

    private StageCalls() {}

    static <C, V, R> Step<C, V, R> first(Stage<C, V, R> stage, C command, long nowNanos, long deadlineNanos) {
        Call<V> call = stage.beginFirst(command, nowNanos, deadlineNanos, new WaitingDriver());
        call.await();
        Step<C, V, R> step = stage.endFirst(call);
        stage.left(null, step.reason());
        return step;
    }

    static <C, V, R> Step<C, V, R> next(
            Stage<C, V, R> stage,
            C command,
            FallbackContext context,
            GuardMeter primary,
            long nowNanos,
            long chainEndNanos) {
        Call<V> call =
                stage.beginNext(command, entrance(context, primary), nowNanos, chainEndNanos, new WaitingDriver());
        call.await();
        return stage.endNext(call);
    }

    private static Entrance entrance(FallbackContext context, GuardMeter primary) {
        return new Entrance() {
            @Override
            public Route route() {
                return Route.FULL;
            }

            @Override
            public Trigger trigger() {
                return context.trigger();
            }

            @Override
            public Throwable cause() {
                return context.cause();
            }

            @Override
            public boolean outcomeUnknown() {
                return context.outcomeUnknown();
            }

            @Override
            public GuardMeter primary() {
                return primary;
            }

            @Override
            public FallbackContext fallbackContext() {
                return context;
            }
        };
    }
}
