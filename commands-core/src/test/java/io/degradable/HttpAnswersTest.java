package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.degradable.model.CommandException;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** S7: what a call without an answer says in HTTP follows RFC 9110. */
@Timeout(60)
final class HttpAnswersTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("mine").ticker(ticker).build();
    private final CommandSpec<Call, String> spec = Call.declared()
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(1))
            .build();

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandException failure(Call call) {
        return catchThrowableOfType(CommandException.class, call::execute);
    }

    private CommandException down() {
        return failure(new Call(commands, spec, "1", () -> {
            throw new IOException("down");
        }));
    }

    private CommandException refused() {
        return failure(new Call(commands, spec, "1", () -> "never"));
    }

    @Test
    void unavailable_is_503_without_a_time_that_nobody_knows() {
        CommandException down = down();

        assertThat(down.httpStatus()).isEqualTo(503);
        assertThat(down.gatewayHttpStatus()).isEqualTo(503);
        assertThat(down.retryAfter()).isEmpty();
        assertThat(down.headers()).doesNotContainKey("Retry-After");
    }

    @Test
    void an_open_breaker_knows_when_to_come_again_in_whole_seconds_rounded_up() {
        down();
        assertThat(refused().headers()).containsEntry("Retry-After", "5");
        ticker.advance(Duration.ofMillis(1));
        assertThat(refused().headers()).containsEntry("Retry-After", "5");
        ticker.advance(Duration.ofMillis(4_998));

        CommandException refused = refused();

        assertThat(refused.retryAfter()).contains(Duration.ofMillis(1));
        assertThat(refused.headers()).containsEntry("Retry-After", "1");
    }

    @Test
    void a_command_around_an_open_breaker_passes_the_time_on() {
        down();
        CommandSpec<Call, String> page = Call.declared().name("Page").build();

        CommandException around =
                failure(new Call(commands, page, "1", () -> new Call(commands, spec, "1", () -> "never").execute()));

        assertThat(around.retryAfter()).contains(Duration.ofSeconds(5));
    }

    @Test
    void a_breaker_held_open_by_hand_does_not_know_when() {
        commands.register(spec);
        commands.circuit("Call").forceOpen("test");

        assertThat(refused().headers()).doesNotContainKey("Retry-After");
    }

    @Test
    void a_timeout_is_504_for_a_gateway_only() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> future = new Call(commands, spec, "1", () -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                    return "never";
                })
                .queue();
        started.await();
        ticker.advance(Duration.ofSeconds(1));

        assertThatThrownBy(future::join).cause().isInstanceOfSatisfying(CommandException.class, late -> {
            assertThat(late.httpStatus()).isEqualTo(503);
            assertThat(late.gatewayHttpStatus()).isEqualTo(504);
            assertThat(late.headers()).doesNotContainKey("Retry-After");
        });
    }
}
