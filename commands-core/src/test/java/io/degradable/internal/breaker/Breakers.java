package io.degradable.internal.breaker;

import io.degradable.settings.BreakerSettings;
import java.time.Duration;
import java.util.List;

/** Settings of breakers under test, named where they differ from the defaults. */
final class Breakers {

    int volume = 20;
    int failedOrSlow = 50;
    int failed;
    int slow;
    int inRow;
    Duration window = Duration.ofSeconds(10);
    int lastCalls;
    int probes = 5;
    List<Integer> shares = List.of(10, 25, 50);
    int decisions = 20;

    static Breakers with() {
        return new Breakers();
    }

    Breakers volume(int calls) {
        volume = calls;
        return this;
    }

    Breakers rates(int failedOrSlowRate, int failureRate, int slowRate) {
        failedOrSlow = failedOrSlowRate;
        failed = failureRate;
        slow = slowRate;
        return this;
    }

    Breakers inRow(int failures) {
        inRow = failures;
        return this;
    }

    Breakers lastCalls(int calls) {
        lastCalls = calls;
        return this;
    }

    Breakers ramp(int decisionsOfEach, Integer... growing) {
        decisions = decisionsOfEach;
        shares = List.of(growing);
        return this;
    }

    BreakerSettings settings() {
        return new BreakerSettings(
                true,
                volume,
                failedOrSlow,
                failed,
                slow,
                inRow,
                window,
                10,
                lastCalls,
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                probes,
                80,
                shares,
                decisions);
    }
}
