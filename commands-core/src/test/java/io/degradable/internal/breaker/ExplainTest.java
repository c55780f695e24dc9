package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static io.degradable.internal.breaker.Verdict.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CircuitState;
import io.degradable.state.CircuitProbes;
import io.degradable.state.CircuitRamp;
import io.degradable.state.CircuitView;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B150: one look says why, since when, and what comes next. */
final class ExplainTest {

    private final BreakerBench bench = new BreakerBench(Breakers.with());

    private static CircuitView view(
            CircuitState state,
            Duration since,
            String why,
            Duration opensFor,
            CircuitWindow window,
            CircuitProbes probes,
            CircuitRamp ramp,
            int failedRounds,
            long opened) {
        return new CircuitView(
                state, since, why, opensFor, window, probes, ramp, failedRounds, opened, Optional.empty());
    }

    @DisplayName("B150: the whole story of a breaker, phase by phase")
    @Test
    void every_phase_explains_itself() {
        bench.end(8, GOOD);
        bench.end(11, FAILED);
        bench.advance(Duration.ofSeconds(3));
        assertThat(bench.view())
                .isEqualTo(view(
                        CircuitState.CLOSED,
                        Duration.ofSeconds(3),
                        "new",
                        Duration.ZERO,
                        new CircuitWindow(8, 11, 0, 0, 11),
                        CircuitProbes.NONE,
                        CircuitRamp.NONE,
                        0,
                        0));

        bench.end(1, FAILED);
        bench.advance(Duration.ofSeconds(1));
        String opened = "12 of 20 calls failed or slow in 10 s: 60 % >= 50 %";
        assertThat(bench.view())
                .isEqualTo(view(
                        CircuitState.OPEN,
                        Duration.ofSeconds(1),
                        opened,
                        Duration.ofSeconds(4),
                        CircuitWindow.EMPTY,
                        CircuitProbes.NONE,
                        CircuitRamp.NONE,
                        0,
                        1));

        bench.advance(Duration.ofSeconds(10));
        assertThat(bench.view())
                .as("due for six seconds, and nobody came")
                .isEqualTo(view(
                        CircuitState.HALF_OPEN,
                        Duration.ofSeconds(6),
                        opened,
                        Duration.ZERO,
                        CircuitWindow.EMPTY,
                        CircuitProbes.NONE,
                        CircuitRamp.NONE,
                        0,
                        1));

        bench.end(1, GOOD);
        bench.end(1, FAILED);
        bench.hold(2);
        bench.advance(Duration.ofMillis(500));
        assertThat(bench.view())
                .isEqualTo(view(
                        CircuitState.HALF_OPEN,
                        Duration.ofMillis(500),
                        "open time over, probes decide",
                        Duration.ZERO,
                        CircuitWindow.EMPTY,
                        new CircuitProbes(2, 1, 1, 4, 5, Duration.ofMillis(1_500)),
                        CircuitRamp.NONE,
                        0,
                        1));

        bench.end(1, FAILED);
        assertThat(bench.view())
                .isEqualTo(view(
                        CircuitState.OPEN,
                        Duration.ZERO,
                        "2 of 5 probes failed, slow or lost: 4 good ones are needed",
                        Duration.ofSeconds(5),
                        CircuitWindow.EMPTY,
                        CircuitProbes.NONE,
                        CircuitRamp.NONE,
                        1,
                        2));

        bench.advance(Duration.ofSeconds(5));
        bench.end(4, GOOD);
        bench.end(5, GOOD);
        bench.end(1, FAILED);
        bench.end(1, SLOW);
        bench.hold(1);
        bench.advance(Duration.ofSeconds(2));
        assertThat(bench.view())
                .isEqualTo(view(
                        CircuitState.RAMPING,
                        Duration.ofSeconds(2),
                        "4 of 5 probes good >= 4",
                        Duration.ZERO,
                        CircuitWindow.EMPTY,
                        CircuitProbes.NONE,
                        new CircuitRamp(1, 3, 10, 5, 2, 1, 20),
                        1,
                        2));
    }

    @DisplayName("B150: looking does not disturb, and finds lost probes out")
    @Test
    void a_look_at_lost_probes_says_that_they_opened_it() {
        bench.end(20, FAILED);
        bench.advance(Duration.ofSeconds(5));
        bench.hold(2);
        bench.advance(BreakerBench.LEASE.plusNanos(1));

        assertThat(bench.view().state()).isEqualTo(CircuitState.OPEN);
        assertThat(bench.view().why()).isEqualTo("2 of 5 probes failed, slow or lost: 4 good ones are needed");
        assertThat(bench.view()).isEqualTo(bench.view());
    }
}
