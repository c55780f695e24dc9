package io.degradable.internal.stage;

import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import java.util.function.Function;
import javax.annotation.Nullable;

/** A typed answer from memory. */
final class TemplateBody<C, R> extends StageBody.Direct<C, R> {

    private final Function<? super C, ? extends R> fill;

    private final boolean constant;

    TemplateBody(Function<? super C, ? extends R> fill, boolean constant) {
        super(StageReason.NULL_ANSWER, CommandResult.AGELESS);
        this.fill = fill;
        this.constant = constant;
    }

    @Override
    public @Nullable R call(C command, @Nullable FallbackContext context) {
        return fill.apply(command);
    }

    @Override
    public boolean takesTime() {
        return !constant;
    }
}
