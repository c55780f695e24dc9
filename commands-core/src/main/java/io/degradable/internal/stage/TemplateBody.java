package io.degradable.internal.stage;

import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import java.util.function.Function;
import javax.annotation.Nullable;

/** A template that is filled for each command. */
final class TemplateBody<C, R> extends StageBody.Direct<C, R> {

    private final Function<? super C, ? extends R> fill;

    TemplateBody(Function<? super C, ? extends R> fill) {
        super(StageReason.NULL_ANSWER, CommandResult.AGELESS);
        this.fill = fill;
    }

    @Override
    public @Nullable R call(C command, @Nullable FallbackContext context) {
        return fill.apply(command);
    }
}
