package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UP     |    -1 |  0   | latencyMs must be a whole number from 0 to 60000, was -1
            SLOW   | 60001 |  0   | latencyMs must be a whole number from 0 to 60000, was 60001
            SLOW   |     0 |  0   | latencyMs must be from 1 to 60000 when mode is slow, was 0
            ERRORS |     0 | -0.1 | errorRate must be a number from 0 to 1, was -0.1
            ERRORS |     0 |  1.1 | errorRate must be a number from 0 to 1, was 1.1
            ERRORS |     0 |  NaN | errorRate must be a number from 0 to 1, was NaN
            DOWN   |     0 |  2   | errorRate must be a number from 0 to 1, was 2.0
            """)
    void wrong_values_are_refused_with_what_is_allowed(Mode mode, int latencyMs, double errorRate, String message) {
        assertThatThrownBy(() -> new Fault(mode, latencyMs, errorRate))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "UP, 300, 0.5, 0, 0", "DOWN, 300, 0.5, 0, 0", "HANG, 300, 0.5, 0, 0", "SLOW, 300, 0.5, 300, 0",
        "ERRORS, 300, 0.5, 300, 0.5", "ERRORS, 0, 0, 0, 0", "SLOW, 1, 1, 1, 0", "SLOW, 60000, 1, 60000, 0"
    })
    void what_a_mode_does_not_use_is_not_in_force(
            Mode mode, int latencyMs, double errorRate, int latencyInForce, double errorRateInForce) {
        Fault fault = new Fault(mode, latencyMs, errorRate);

        assertThat(fault.latencyMs()).isEqualTo(latencyInForce);
        assertThat(fault.errorRate()).isEqualTo(errorRateInForce);
    }

    @Test
    void only_hanging_and_late_answers_hold_a_request() {
        assertThat(Fault.hang().holds()).isTrue();
        assertThat(Fault.slow(1).holds()).isTrue();
        assertThat(new Fault(Mode.ERRORS, 1, 1).holds()).isTrue();
        assertThat(Fault.errors(1).holds()).isFalse();
        assertThat(Fault.down().holds()).isFalse();
        assertThat(Fault.up().holds()).isFalse();
    }
}
