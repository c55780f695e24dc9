package io.degradable.internal.stage;

import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** A template that is the same for everybody. */
final class ConstantBody<C, R> extends StageBody.Direct<C, R> {

    private final Supplier<? extends R> value;

    ConstantBody(Supplier<? extends R> value) {
        super(StageReason.NULL_ANSWER, CommandResult.AGELESS);
        this.value = value;
    }

    @Override
    public boolean isConstant() {
        return true;
    }

    @Override
    public @Nullable R constant() {
        return value.get();
    }

    @Override
    public @Nullable R call(C command, @Nullable FallbackContext context) {
        return value.get();
    }
}
