package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.CircuitView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The breaker as a user of commands gets to see it. */
@Timeout(30)
final class BreakerTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands = Commands.builder().ticker(ticker).build();
    private final Callers callers = new Callers();
    private final CountDownLatch release = new CountDownLatch(1);
    private boolean ill;

    @AfterEach
    void close() {
        release.countDown();
        callers.close();
        commands.close();
    }

    private static CommandSpec.Builder<Call, String> declared(Consumer<BreakerSpec> breaker) {
        return Call.declared()
                .semaphore()
                .circuitBreaker(breaker)
                .fallback(chain -> chain.template(StaticTemplate.of("last", "template")));
    }

    private CommandResult<String> call(CommandSpec<Call, String> spec) {
        return new Call(commands, spec, "1", () -> {
                    if (ill) {
                        throw new IllegalStateException("ill");
                    }
                    return "live";
                })
                .executeForResult();
    }

    private CircuitView circuit() {
        return commands.commands().iterator().next().stages().get(0).circuit();
    }

    private List<Source> calls(CommandSpec<Call, String> spec, int count) {
        List<Source> sources = new ArrayList<>();
        for (int call = 0; call < count; call++) {
            sources.add(call(spec).source());
        }
        return sources;
    }

    @DisplayName("B26: after the probes a tenth, a quarter and half of the calls get through, then all")
    @Test
    void a_healed_dependency_gets_its_calls_back_share_by_share() {
        CommandSpec<Call, String> spec = declared(breaker -> {}).build();
        ill = true;
        calls(spec, 20);
        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        assertThat(circuit().why()).isEqualTo("20 of 20 calls failed or slow in 10 s: 100 % >= 50 %");

        ill = false;
        ticker.advance(Duration.ofSeconds(5));
        assertThat(calls(spec, 4)).as("probes").containsOnly(Source.PRIMARY);

        assertThat(circuit().state()).isEqualTo(CircuitState.RAMPING);
        CommandResult<String> refused = call(spec);
        assertThat(refused.source()).isEqualTo(Source.STATIC);
        assertThat(refused.trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(calls(spec, 199)).filteredOn(Source.PRIMARY::equals).hasSize(20);
        assertThat(calls(spec, 80)).filteredOn(Source.PRIMARY::equals).hasSize(20);
        assertThat(calls(spec, 40)).filteredOn(Source.PRIMARY::equals).hasSize(20);

        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(calls(spec, 100)).containsOnly(Source.PRIMARY);
    }

    @Test
    void without_a_ramp_the_probes_close_it() {
        CommandSpec<Call, String> spec = declared(BreakerSpec::noRamp).build();
        ill = true;
        calls(spec, 20);

        ill = false;
        ticker.advance(Duration.ofSeconds(5));

        assertThat(calls(spec, 100)).containsOnly(Source.PRIMARY);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_ramp_of_ones_own() {
        CommandSpec<Call, String> spec =
                declared(breaker -> breaker.ramp(3, 50).probes(1)).build();
        ill = true;
        calls(spec, 20);

        ill = false;
        ticker.advance(Duration.ofSeconds(5));

        Source primary = Source.PRIMARY;
        Source template = Source.STATIC;
        assertThat(calls(spec, 9))
                .containsExactly(primary, template, primary, template, primary, template, primary, primary, primary);
    }

    @DisplayName("B15: bodies that hang on the callers' threads open the breaker for those that come after")
    @Test
    void hanging_bodies_open_it_although_none_has_ended() throws Exception {
        CommandSpec<Call, String> spec = declared(breaker -> breaker.requestVolumeThreshold(3))
                .timeout(Duration.ofSeconds(1))
                .build();
        CountDownLatch hanging = new CountDownLatch(3);
        List<FutureTask<CommandResult<String>>> hung = new ArrayList<>();
        for (int caller = 0; caller < 3; caller++) {
            hung.add(callers.call(new Call(commands, spec, "1", () -> {
                hanging.countDown();
                release.await();
                return "late";
            })));
        }
        hanging.await();

        ticker.advance(Duration.ofSeconds(2));

        assertThat(call(spec).trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(circuit().why())
                .isEqualTo("3 of 3 calls failed or slow in 10 s, 3 of them in flight: 100 % >= 50 %");
        release.countDown();
        for (FutureTask<CommandResult<String>> one : hung) {
            assertThat(one.get().source()).as("a semaphore cannot leave").isEqualTo(Source.PRIMARY);
        }
        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
    }

    @DisplayName("B15: calls that a full bulkhead refuses are not in flight")
    @Test
    void refused_calls_do_not_look_like_hanging_ones() throws Exception {
        CommandSpec<Call, String> spec = declared(breaker -> breaker.requestVolumeThreshold(5))
                .semaphore(1)
                .timeout(Duration.ofSeconds(1))
                .build();
        CountDownLatch hanging = new CountDownLatch(1);
        FutureTask<CommandResult<String>> first = callers.call(new Call(commands, spec, "1", () -> {
            hanging.countDown();
            release.await();
            return "late";
        }));
        hanging.await();
        for (int call = 0; call < 50; call++) {
            assertThat(call(spec).trigger()).isEqualTo(Trigger.SEMAPHORE_REJECTED);
        }

        ticker.advance(Duration.ofSeconds(2));

        assertThat(call(spec).trigger()).isEqualTo(Trigger.SEMAPHORE_REJECTED);
        assertThat(circuit().window().slowInFlight()).isEqualTo(1);
        release.countDown();
        assertThat(first.get().overrun()).isTrue();
    }

    @DisplayName("B24: one slow and one failed call of four open it, unless the shares are separate")
    @Test
    void slow_and_failed_calls_add_up() {
        CommandSpec<Call, String> both = declared(
                        breaker -> breaker.countWindow(4).requestVolumeThreshold(4))
                .name("Both")
                .build();
        CommandSpec<Call, String> separate = declared(breaker -> breaker.countWindow(4)
                        .requestVolumeThreshold(4)
                        .noErrorThreshold()
                        .failureRate(50)
                        .slowRate(50))
                .name("Separate")
                .build();
        for (CommandSpec<Call, String> spec : List.of(both, separate)) {
            ill = false;
            calls(spec, 2);
            new Call(commands, spec, "1", () -> {
                        ticker.advance(Duration.ofSeconds(2));
                        return "slow";
                    })
                    .executeForResult();
            ill = true;
            calls(spec, 1);
        }

        assertThat(commands.commands())
                .extracting(command -> command.key().name() + " "
                        + command.stages().get(0).circuit().state())
                .containsExactlyInAnyOrder("Both OPEN", "Separate CLOSED");
    }

    @Test
    void failures_in_a_row_open_it_before_there_is_any_volume() {
        CommandSpec<Call, String> spec =
                declared(breaker -> breaker.consecutiveFailures(3)).build();
        ill = true;
        calls(spec, 2);
        ill = false;
        calls(spec, 1);
        ill = true;
        calls(spec, 2);
        assertThat(circuit().state()).isEqualTo(CircuitState.CLOSED);

        calls(spec, 1);

        assertThat(circuit().state()).isEqualTo(CircuitState.OPEN);
        assertThat(circuit().why()).isEqualTo("3 calls failed in a row >= 3");
    }

    private static Arguments refused(String message, Consumer<BreakerSpec> breaker) {
        return Arguments.of(message, breaker);
    }

    static List<Arguments> contradictions() {
        return List.of(
                refused("countWindow of 10", breaker -> breaker.countWindow(10)),
                refused("countWindow must be positive, was 0", breaker -> breaker.countWindow(0)),
                refused(
                        "1 to 100000 calls, or 0 for a window of time, was 100001",
                        breaker -> breaker.countWindow(100_001)),
                refused("no rule to open by", BreakerSpec::noErrorThreshold),
                refused(
                        "errorThresholdPercentage must be a percentage from 1 to 100, was 0",
                        breaker -> breaker.errorThresholdPercentage(0)),
                refused("failureRate must be a percentage from 1 to 100, was 101", breaker -> breaker.failureRate(101)),
                refused("slowRate must be a percentage from 1 to 100, was 0", breaker -> breaker.slowRate(0)),
                refused("consecutiveFailures must be positive, was 0", breaker -> breaker.consecutiveFailures(0)),
                refused("needs a share", breaker -> breaker.ramp(20)),
                refused("was [10, 10]", breaker -> breaker.ramp(20, 10, 10)),
                refused("was [50, 25]", breaker -> breaker.ramp(20, 50, 25)),
                refused("was [0]", breaker -> breaker.ramp(20, 0)),
                refused("was [50, 100]", breaker -> breaker.ramp(20, 50, 100)),
                refused("1 to 10000 decisions for each share, was 0", breaker -> breaker.ramp(0, 10)),
                refused("1 to 10000 decisions for each share, was 10001", breaker -> breaker.ramp(10_001, 10)));
    }

    @ParameterizedTest
    @MethodSource("contradictions")
    void settings_that_contradict_themselves_are_refused(String message, Consumer<BreakerSpec> breaker) {
        assertThatThrownBy(() -> declared(breaker).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("circuitBreaker")
                .hasMessageContaining(message);
    }
}
