package io.degradable.state;

import io.degradable.model.CircuitState;
import java.time.Duration;
import java.util.Optional;

/**
 * A breaker at one moment, and why it is as it is. All of it but {@code opened} belongs to one phase of the breaker.
 *
 * @param state what it does with calls
 * @param since how long it has been so
 * @param why the rule that brought it there and the figures of that moment, in words
 * @param opensFor how much longer it stays open; zero when it is not, or the next call is a probe
 * @param window what a closed breaker has measured
 * @param probes the probes of a half-open one
 * @param ramp the step a ramping one is on
 * @param failedRounds how many half-open phases or ramps have failed since it was last closed
 * @param opened how often it has opened by itself since the start
 * @param forcedBy who holds it open or closed by hand
 */
public record CircuitView(
        CircuitState state,
        Duration since,
        String why,
        Duration opensFor,
        CircuitWindow window,
        CircuitProbes probes,
        CircuitRamp ramp,
        int failedRounds,
        long opened,
        Optional<String> forcedBy) {

    /** Good calls in the window of a closed breaker. */
    public long good() {
        return window.good();
    }

    /** Failed or slow ones that have ended. */
    public long bad() {
        return window.failed() + window.slow();
    }
}
