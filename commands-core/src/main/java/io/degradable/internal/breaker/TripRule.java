package io.degradable.internal.breaker;

import io.degradable.settings.BreakerSettings;
import io.degradable.settings.Require;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import javax.annotation.Nullable;

/** When a closed breaker opens: a total function on values. */
final class TripRule {

    private TripRule() {}

    /** Whether it opens by any rule. */
    static boolean isReached(
            BreakerSettings settings, Rates rates, long failed, long slow, long calls, long failuresInRow) {
        int inRow = settings.consecutiveFailures();
        return (inRow > 0 && failuresInRow >= inRow)
                || (calls >= settings.requestVolumeThreshold() && rates.areReached(failed, slow, calls));
    }

    /** The first rule by which it opens; null when it stays closed. */
    static @Nullable Why judge(BreakerSettings settings, CircuitWindow figures) {
        int inRow = settings.consecutiveFailures();
        if (inRow > 0 && figures.failuresInRow() >= inRow) {
            return new Why(Why.Rule.FAILURES_IN_ROW, figures.failuresInRow(), figures.failuresInRow(), inRow, "");
        }
        if (figures.calls() < settings.requestVolumeThreshold()) {
            return null;
        }
        return Rates.of(settings)
                .reached(figures.failed(), figures.allSlow(), figures.calls(), lookedAt(settings, figures));
    }

    private static String lookedAt(BreakerSettings settings, CircuitWindow figures) {
        String window =
                settings.countWindow() > 0 ? "of the last " + settings.countWindow() : "in " + text(settings.window());
        return figures.slowInFlight() > 0 ? window + ", " + figures.slowInFlight() + " of them in flight" : window;
    }

    private static String text(Duration span) {
        return span.toNanos() % 1_000_000_000 == 0 ? span.toSeconds() + " s" : Require.text(span);
    }
}
