package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.micrometer.DegradableMeters;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.state.Circuit;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.ManualTicker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A breaker that somebody holds by hand stays so, and says who holds it. */
@Timeout(60)
final class ForcedCircuitTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Commands commands =
            Commands.builder().name("mine").ticker(ticker).build();
    private final AtomicInteger bodies = new AtomicInteger();
    private final CommandSpec<Call, String> spec = Call.declared()
            .circuitBreaker(
                    breaker -> breaker.requestVolumeThreshold(1).probes(1).noRamp())
            .fallback(chain -> chain.spareCall("second", (call, context) -> "spare")
                    .template(StaticTemplate.of("last", "template")))
            .build();

    @BeforeEach
    void register() {
        commands.register(spec);
    }

    @AfterEach
    void close() {
        commands.close();
    }

    private CommandResult<String> good() {
        return new Call(commands, spec, "1", () -> "live " + bodies.incrementAndGet()).executeForResult();
    }

    private CommandResult<String> bad() {
        return new Call(commands, spec, "1", () -> {
                    bodies.incrementAndGet();
                    throw new IOException("down");
                })
                .executeForResult();
    }

    @DisplayName("B16: a breaker held open lets nobody through however long, until it is released to half-open")
    @Test
    void held_open_it_refuses_until_it_is_released() {
        Circuit circuit = commands.circuit("Call");
        bad();
        circuit.forceOpen("anna: the catalog moves house");

        ticker.advance(Duration.ofHours(1));
        assertThat(good().trigger()).isEqualTo(Trigger.SHORT_CIRCUITED);
        assertThat(good().source()).isEqualTo(Source.STATIC);
        assertThat(circuit.explain().state()).isEqualTo(CircuitState.FORCED_OPEN);
        assertThat(circuit.explain().forcedBy()).contains("anna: the catalog moves house");

        assertThat(circuit.release("anna")).isTrue();
        assertThat(circuit.explain().state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(good().source()).isEqualTo(Source.PRIMARY);
        assertThat(circuit.explain().state()).isEqualTo(CircuitState.CLOSED);
        assertThat(bodies).hasValue(2);
    }

    @Test
    void held_closed_it_lets_everybody_through_whatever_becomes_of_them() {
        Circuit circuit = commands.circuit("Call");
        circuit.forceClosed("bert");

        for (int call = 0; call < 50; call++) {
            assertThat(bad().trigger()).isEqualTo(Trigger.FAILURE);
        }

        assertThat(bodies).hasValue(50);
        assertThat(circuit.explain().state()).isEqualTo(CircuitState.FORCED_CLOSED);
        assertThat(circuit.release("bert")).isTrue();
        assertThat(circuit.release("bert")).as("it is held no more").isFalse();
        bad();
        assertThat(circuit.explain().state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void a_stage_can_be_held_and_a_breaker_that_is_switched_off_too() {
        CommandSpec<Call, String> without =
                Call.declared().name("Without").noCircuitBreaker().build();
        commands.register(without);
        commands.circuit("Call", "second").forceOpen("anna");
        commands.circuit("Without").forceOpen("anna");

        assertThat(bad().source()).isEqualTo(Source.STATIC);
        assertThatThrownBy(new Call(commands, without, "1", () -> "never")::execute)
                .hasMessageContaining("short circuited");
    }

    @Test
    void meters_show_who_is_held() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        commands.register(Call.declared().name("Without").noCircuitBreaker().build());
        new DegradableMeters(commands).bindTo(registry);
        commands.circuit("Without").forceOpen("anna");

        assertThat(registry.get("degradable.circuit")
                        .tags("command", "Without", "stage", "primary", "state", "forced_open")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void what_is_not_there_is_named() {
        assertThatThrownBy(() -> commands.circuit("Nobody"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "command Nobody is not known in mine: register its spec or call it first; known are [Call]");
        assertThatThrownBy(() -> commands.circuit("Call", "third"))
                .hasMessage("command Call has no stage third, it has [primary, second, static]");
        assertThatThrownBy(() -> commands.circuit("Call", "static"))
                .hasMessage("stage static of Call is read in memory and has no breaker");
    }
}
