package io.degradable.stream;

import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.StageCall;
import io.degradable.cache.CacheSpec;
import io.degradable.template.StaticTemplate;
import java.time.Duration;
import java.util.concurrent.Callable;

/** A command whose bodies are given by the test. */
final class Ask extends DegradableCommand<String> {

    static final CacheSpec<String, String> ANSWERS = CacheSpec.named("answers");
    static final StaticTemplate<String> UNKNOWN = StaticTemplate.of("unknown", "to be confirmed");

    static final Callable<String> ANSWERS_LIVE = () -> "live";
    static final Callable<String> FAILS = () -> {
        throw new IllegalStateException("broken \"in\" <the> body\n");
    };
    static final StageCall<Ask, String> SPARE = (ask, context) -> ask.spare.call(ask, context);

    final String key;
    private final Callable<String> body;
    private final StageCall<Ask, String> spare;

    Ask(Commands commands, CommandSpec<Ask, String> spec, String key, Callable<String> body) {
        this(commands, spec, key, body, (ask, context) -> FAILS.call());
    }

    Ask(
            Commands commands,
            CommandSpec<Ask, String> spec,
            String key,
            Callable<String> body,
            StageCall<Ask, String> spare) {
        super(commands, spec);
        this.key = key;
        this.body = body;
        this.spare = spare;
    }

    @Override
    protected String run() throws Exception {
        return body.call();
    }

    /** The beginning of a spec. */
    static CommandSpec.Builder<Ask, String> named(String name) {
        return CommandSpec.of(Ask.class).name(name).group("oracle");
    }

    /** A spec with every kind of stage behind the primary. */
    static CommandSpec.Builder<Ask, String> withChain(String name) {
        return named(name)
                .fallback(chain -> chain.spareCall("spare", SPARE)
                        .cached(ANSWERS, ask -> ask.key, Duration.ofMinutes(5))
                        .template(UNKNOWN));
    }
}
