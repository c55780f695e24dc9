package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls without a class of their own, under the same rules. */
@Timeout(30)
final class CallableCommandTest {

    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("Greeting")
            .group("test")
            .fallback(chain -> chain.cached(
                            CacheSpec.<String, String>named("greetings"), CallableCommand::key, Duration.ofMinutes(1))
                    .template(StaticTemplate.of("last", "hello, whoever you are")))
            .build();

    private final Commands commands = Commands.create();

    @AfterEach
    void close() {
        commands.close();
    }

    private static String down() throws IOException {
        throw new IOException("down");
    }

    @Test
    void a_body_is_run_under_a_spec_and_its_chain_answers_by_the_key() {
        assertThat(commands.call(SPEC, "ann", () -> "hello, ann")).isEqualTo("hello, ann");
        assertThat(commands.call(SPEC, "ann", CallableCommandTest::down)).isEqualTo("hello, ann");
        assertThat(commands.call(SPEC, "ben", CallableCommandTest::down)).isEqualTo("hello, whoever you are");
        assertThat(commands.call(SPEC, () -> "hello, all")).isEqualTo("hello, all");
    }

    @Test
    void the_command_is_there_for_every_way_to_call() {
        CallableCommand<String> call = new CallableCommand<>(commands, SPEC, "ann", CallableCommandTest::down);

        CommandResult<String> result = call.queueForResult().join();

        assertThat(result.source()).isEqualTo(Source.STATIC);
        assertThat(result.cause()).hasValueSatisfying(cause -> assertThat(cause).hasMessage("down"));
        assertThat(commands.commands()).hasSize(1);
    }

    @Test
    @SuppressWarnings("NullAway") // the point of it
    void what_is_missing_is_named() {
        assertThatThrownBy(() -> commands.call(SPEC, null, () -> "x")).hasMessage("key must not be null");
        assertThatThrownBy(() -> commands.call(SPEC, "x", null)).hasMessage("body must not be null");
        assertThatThrownBy(() -> commands.call(null, "x", () -> "x")).hasMessage("spec must not be null");
    }
}
