package io.degradable;

import java.util.Objects;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;

/**
 * A command whose body is given with each call, for those who want no class per call; the rules are the same. Mostly made by
 * {@link Commands#call}; its spec by {@link CommandSpec#callable}.
 *
 * @param <R> the type of the answer
 */
public final class CallableCommand<R> extends DegradableCommand<R> {

    private final String key;
    private final Callable<? extends R> body;

    /**
     * A call.
     *
     * @param key what it is about: all that tells its answer from others, for caches and for the ids of operations
     * @param body gets a live answer; see {@link DegradableCommand#run()}
     */
    public CallableCommand(
            Commands commands, CommandSpec<CallableCommand<R>, R> spec, String key, Callable<? extends R> body) {
        super(commands, spec);
        this.key = Objects.requireNonNull(key, "key must not be null");
        this.body = Objects.requireNonNull(body, "body must not be null");
    }

    /** What the call is about. */
    public String key() {
        return key;
    }

    @Override
    protected @Nullable R run() throws Exception {
        return body.call();
    }
}
