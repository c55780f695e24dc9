package io.degradable.internal.breaker;

import io.degradable.settings.BreakerSettings;
import javax.annotation.Nullable;

/** Shares of bad calls, in percent, that are too many; 0 is never reached. */
record Rates(int failedOrSlow, int failed, int slow) {

    private static final Rates RAMP_WITHOUT_RATES = new Rates(50, 0, 0);

    /** What a window of calls is held to. */
    static Rates of(BreakerSettings settings) {
        return new Rates(settings.errorThresholdPercentage(), settings.failureRate(), settings.slowRate());
    }

    /** What a step of a ramp is held to: the same, unless failures in a row are the only rule. */
    static Rates ofRamp(BreakerSettings settings) {
        Rates rates = of(settings);
        return rates.equals(new Rates(0, 0, 0)) ? RAMP_WITHOUT_RATES : rates;
    }

    /** Whether any share is reached. */
    boolean areReached(long failedCalls, long slowCalls, long calls) {
        return reaches(failedCalls + slowCalls, calls, failedOrSlow)
                || reaches(failedCalls, calls, failed)
                || reaches(slowCalls, calls, slow);
    }

    /** The first share that is reached; null when none is. */
    @Nullable
    Why reached(long failedCalls, long slowCalls, long calls, String note) {
        if (reaches(failedCalls + slowCalls, calls, failedOrSlow)) {
            return new Why(Why.Rule.BAD_RATE, failedCalls + slowCalls, calls, failedOrSlow, note);
        }
        if (reaches(failedCalls, calls, failed)) {
            return new Why(Why.Rule.FAILURE_RATE, failedCalls, calls, failed, note);
        }
        if (reaches(slowCalls, calls, slow)) {
            return new Why(Why.Rule.SLOW_RATE, slowCalls, calls, slow, note);
        }
        return null;
    }

    private static boolean reaches(long count, long of, int percentage) {
        return percentage > 0 && count * 100 >= of * percentage;
    }
}
