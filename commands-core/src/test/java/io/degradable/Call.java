package io.degradable;

import java.util.concurrent.Callable;
import javax.annotation.Nullable;

/** A command whose body is given by the test. */
final class Call extends DegradableCommand<String> {

    final String id;
    private final Callable<String> body;

    Call(Commands commands, CommandSpec<Call, String> spec, String id, Callable<String> body) {
        super(commands, spec);
        this.id = id;
        this.body = body;
    }

    @Override
    protected @Nullable String run() throws Exception {
        return body.call();
    }

    static CommandSpec.Builder<Call, String> declared() {
        return CommandSpec.of(Call.class).group("test");
    }
}
