package io.degradable.testing;

import static io.degradable.testing.ResultAssert.assertThatResult;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Timestamped;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.template.StaticTemplate;
import io.degradable.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A {@link ManualTicker} drives everything in a container that has to do with time, to the nanosecond, and nothing else does. */
@Timeout(20)
@ExtendWith(DegradableExtension.class)
final class TimeOfContainerTest {

    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration TIMEOUT = Duration.ofMillis(150);
    private static final Duration FRESH = Duration.ofMinutes(5);
    private static final CacheSpec<String, String> COPIES = CacheSpec.named("copies");
    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("call")
            .group("test")
            .threadPool(pool -> pool.named("time-of-container").size(1))
            .timeout(TIMEOUT)
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(2)
                    .sleepWindow(Duration.ofSeconds(5))
                    .noRamp())
            .fallback(chain ->
                    chain.cached(COPIES, CallableCommand::key, FRESH).template(StaticTemplate.of("unknown", "static")))
            .build();

    private final Commands commands;
    private final ManualTicker ticker;
    private final Faults faults;

    TimeOfContainerTest(Commands commands, ManualTicker ticker) {
        this.commands = commands;
        this.ticker = ticker;
        commands.register(SPEC);
        this.faults = Faults.in(commands);
    }

    private CallableCommand<String> command(Callable<String> body) {
        return new CallableCommand<>(commands, SPEC, "key", body);
    }

    private CommandResult<String> call() {
        return command(() -> "live").executeForResult();
    }

    @Test
    void a_timed_wait_of_a_caller() throws Exception {
        faults.of("call").delays(Duration.ofDays(1));
        Caller<CommandResult<String>> caller = Caller.calls(this::call);
        ticker.untilWaiting(2); // the caller, and the body

        ticker.advance(TIMEOUT.minus(NANO));
        assertThat(commands.commands().iterator().next().inFlight()).isEqualTo(1);
        ticker.advance(NANO);

        assertThat(caller.result().elapsed()).isEqualTo(TIMEOUT);
        assertThatResult(caller.result()).wasTriggeredBy(Trigger.TIMEOUT);
    }

    @Test
    void a_timer_of_a_future() throws Exception {
        faults.of("call").delays(Duration.ofDays(1));
        CompletableFuture<CommandResult<String>> future = command(() -> "live").queueForResult();
        ticker.untilWaiting(2);

        ticker.advance(TIMEOUT.minus(NANO));
        assertThat(future).isNotDone();
        ticker.advance(NANO);

        assertThat(future.get().elapsed()).isEqualTo(TIMEOUT);
    }

    @Test
    void freshness_of_a_copy() {
        assertThatResult(call()).isFrom(Source.PRIMARY);
        faults.of("call").fails(new IOException("down"));

        ticker.advance(FRESH);
        assertThatResult(call()).isFrom(Source.CACHE).isNotOlderThan(FRESH);
        assertThat(call().age()).contains(FRESH);
        ticker.advance(NANO);

        assertThatResult(call())
                .isFrom(Source.STATIC)
                .hasTrail("primary: refused", "cache: missed (too old)", "static: answered");
    }

    @Test
    void a_copy_does_not_expire_by_itself_however_long_it_is_stale_and_a_wider_window_still_takes_it() {
        commands.cache(COPIES).put("key", new Timestamped<>("copy", ticker.nanos()));

        ticker.advance(FRESH.plus(NANO));

        assertThat(commands.cache(COPIES).read("key", FRESH).value()).isNull();
        assertThat(commands.cache(COPIES).read("key", FRESH.plus(NANO)).value()).isEqualTo("copy");
        assertThat(commands.cache(COPIES).size()).isEqualTo(1);
    }

    @Test
    void sleep_window_and_window_of_a_breaker() {
        faults.of("call").fails(new IOException("down"));
        call();
        call();
        assertThat(state()).isEqualTo(CircuitState.OPEN);

        ticker.advance(Duration.ofSeconds(5).minus(NANO));
        assertThatResult(call()).wasTriggeredBy(Trigger.SHORT_CIRCUITED);
        ticker.advance(NANO);

        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThatResult(call()).wasTriggeredBy(Trigger.FAILURE);
    }

    private CircuitState state() {
        return commands.circuit("call").explain().state();
    }

    @Test
    void rolling_counts() {
        call();
        assertThat(commands.commands().iterator().next().recentEvents()).containsEntry(EventType.SUCCESS, 1L);

        ticker.advance(Duration.ofSeconds(11));

        assertThat(commands.commands().iterator().next().recentEvents()).doesNotContainEntry(EventType.SUCCESS, 1L);
    }

    @Test
    void what_is_left_of_a_deadline() {
        Duration left = commands.call(
                CommandSpec.<Duration>callable("left")
                        .group("test")
                        .timeout(TIMEOUT)
                        .build(),
                () -> {
                    ticker.advance(Duration.ofMillis(100));
                    return Deadline.current().remaining();
                });

        assertThat(left).isEqualTo(Duration.ofMillis(50));
    }
}
