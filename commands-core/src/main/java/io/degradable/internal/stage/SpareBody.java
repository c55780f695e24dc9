package io.degradable.internal.stage;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/** Another way to a live answer. */
final class SpareBody<C, R> extends StageBody.Direct<C, R> {

    private final LiveCall<C, R> call;

    SpareBody(LiveCall<C, R> call, boolean allowNull) {
        super(allowNull ? StageReason.ANSWER : StageReason.NULL_ANSWER, 0);
        this.call = call;
    }

    @Override
    public @Nullable R call(C command, @Nullable FallbackContext context) throws Exception {
        return call.call(command, context);
    }
}
