package io.degradable.state;

import io.degradable.model.CircuitState;
import java.time.Duration;

/**
 * A breaker at one moment.
 *
 * @param state what it does with calls
 * @param since how long it has been so
 * @param opensFor how much longer it stays open; zero when it is not, or the next call is a probe
 * @param good good calls in the window of a closed breaker
 * @param bad failed or slow ones
 * @param opened how often it has opened since the start
 */
public record CircuitView(CircuitState state, Duration since, Duration opensFor, long good, long bad, long opened) {}
