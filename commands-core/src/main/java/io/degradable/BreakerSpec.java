package io.degradable;

import io.degradable.settings.BreakerSettings;
import java.time.Duration;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** What a circuit breaker is set to. */
public final class BreakerSpec {

    private int requestVolumeThreshold = BreakerSettings.DEFAULT.requestVolumeThreshold();
    private int errorThresholdPercentage = BreakerSettings.DEFAULT.errorThresholdPercentage();
    private Duration window = BreakerSettings.DEFAULT.window();
    private int buckets = BreakerSettings.DEFAULT.buckets();
    private Duration sleepWindow = BreakerSettings.DEFAULT.sleepWindow();
    private Duration maxSleepWindow = BreakerSettings.DEFAULT.maxSleepWindow();
    private int probes = BreakerSettings.DEFAULT.probes();
    private int probeSuccessPercentage = BreakerSettings.DEFAULT.probeSuccessPercentage();

    BreakerSpec() {}

    /** How many measured calls the window needs before the breaker may open, 1 or more; default 20. */
    public BreakerSpec requestVolumeThreshold(int calls) {
        this.requestVolumeThreshold = calls;
        return this;
    }

    /** Share of failed or slow calls from which it opens, 1 to 100; default 50. */
    public BreakerSpec errorThresholdPercentage(int percentage) {
        this.errorThresholdPercentage = percentage;
        return this;
    }

    /** What is looked at, at least the command's timeout; default 10 s. It must divide by {@link #buckets}. */
    public BreakerSpec window(Duration window) {
        this.window = window;
        return this;
    }

    /** How many parts the window moves by, 2 or more; default 10. */
    public BreakerSpec buckets(int buckets) {
        this.buckets = buckets;
        return this;
    }

    /** How long it stays open the first time; default 5 s. A longest open time below it is raised to it. */
    public BreakerSpec sleepWindow(Duration sleepWindow) {
        this.sleepWindow = sleepWindow;
        if (maxSleepWindow.equals(BreakerSettings.DEFAULT.maxSleepWindow())
                && sleepWindow.compareTo(maxSleepWindow) > 0) {
            this.maxSleepWindow = sleepWindow;
        }
        return this;
    }

    /** What the open time grows to while probes keep failing, at least the sleep window; default 30 s. */
    public BreakerSpec maxSleepWindow(Duration maxSleepWindow) {
        this.maxSleepWindow = maxSleepWindow;
        return this;
    }

    /** Calls let through half-open, all of which may be in flight at once, 1 or more; default 5. */
    public BreakerSpec probes(int probes) {
        this.probes = probes;
        return this;
    }

    /** Share of the probes that must be good to close, 1 to 100; default 80. */
    public BreakerSpec probeSuccessPercentage(int percentage) {
        this.probeSuccessPercentage = percentage;
        return this;
    }

    static BreakerSettings built(@Nullable Consumer<? super BreakerSpec> customizer) {
        if (customizer == null) {
            return BreakerSettings.DEFAULT;
        }
        BreakerSpec spec = new BreakerSpec();
        customizer.accept(spec);
        return spec.build();
    }

    BreakerSettings build() {
        return new BreakerSettings(
                true,
                requestVolumeThreshold,
                errorThresholdPercentage,
                window,
                buckets,
                sleepWindow,
                maxSleepWindow,
                probes,
                probeSuccessPercentage);
    }
}
