package io.degradable.testing;

import static io.degradable.testing.ResultAssert.assertThatResult;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each assertion holds for what is so, and says what was there instead, with the whole trail, for what is not. */
final class ResultAssertTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("call")
            .group("test")
            .semaphore()
            .fallback(chain -> chain.cached(COPIES, CallableCommand::key, Duration.ofMinutes(5))
                    .template(StaticTemplate.of("unknown", "static")))
            .build();
    private static final String TRAIL =
            "\n    primary failed: exception after 0 ms (java.io.IOException: down)\n    cache ";

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final IOException down = new IOException("down");

    @BeforeEach
    void storeCopy() {
        commands.cache(COPIES).put("key", new Timestamped<>("copy", ticker.nanos()));
    }

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandResult<String> result() {
        return commands.executeForResult(new CallableCommand<>(commands, SPEC, "key", () -> {
            throw down;
        }));
    }

    private void assertFails(ThrowingCallable assertion, String message) {
        assertThatThrownBy(assertion)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(message + "\nfrom ")
                .hasMessageContaining(TRAIL)
                .hasCause(down);
    }

    @Test
    void what_is_so_holds() {
        ticker.advance(Duration.ofSeconds(41));

        assertThatResult(result())
                .hasValue("copy")
                .isFrom(Source.CACHE)
                .wasTriggeredBy(Trigger.FAILURE)
                .isNotOlderThan(Duration.ofSeconds(41))
                .hasTrail("primary: failed", "cache: answered")
                .hasTrail("primary: failed (exception)", "cache: answered (answer)");
    }

    @Test
    void what_is_not_so_is_told_with_what_is() {
        ticker.advance(Duration.ofSeconds(41));
        ResultAssert<String> copy = assertThatResult(result());

        assertFails(() -> copy.hasValue("live"), "expected the value live, was copy");
        assertFails(() -> copy.isFrom(Source.PRIMARY), "expected an answer from PRIMARY, was from CACHE");
        assertFails(() -> copy.wasTriggeredBy(Trigger.TIMEOUT), "expected the trigger TIMEOUT, was FAILURE");
        assertFails(
                () -> copy.isNotOlderThan(Duration.ofSeconds(41).minusNanos(1)),
                "expected an answer not older than PT40.999999999S, was PT41S old");
    }

    @Test
    void a_trail_is_compared_stage_by_stage_to_its_end() {
        ticker.advance(Duration.ofMinutes(6));
        ResultAssert<String> template = assertThatResult(result());
        String was = ", was [primary: failed (exception), cache: missed (too old), static: answered (answer)]";

        template.hasTrail("primary: failed", "cache: missed (too old)", "static: answered");

        assertFails(
                () -> template.hasTrail("primary: failed", "cache: missed"),
                "expected the trail [primary: failed, cache: missed]" + was);
        assertFails(
                () -> template.hasTrail("primary: failed", "cache: missed (absent)", "static: answered"),
                "expected the trail [primary: failed, cache: missed (absent), static: answered]" + was);
        assertFails(
                () -> template.isNotOlderThan(Duration.ofHours(1)),
                "expected an answer not older than PT1H, it has no age");
    }
}
