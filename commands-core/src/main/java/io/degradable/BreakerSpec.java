package io.degradable;

import io.degradable.settings.BreakerSettings;
import io.degradable.settings.Require;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * What a circuit breaker is set to. It opens when one of its rules says so: the share of failed or slow calls
 * ({@link #errorThresholdPercentage}, on unless {@link #noErrorThreshold}), and beside it, where they are set, the share of
 * failed calls, the share of slow calls, and failures in a row. A call in flight for longer than {@code slowCall} counts as
 * slow.
 *
 * <p>Threading: belongs to the thread that builds the spec.
 */
public final class BreakerSpec {

    private int requestVolumeThreshold = BreakerSettings.DEFAULT.requestVolumeThreshold();
    private int errorThresholdPercentage = BreakerSettings.DEFAULT.errorThresholdPercentage();
    private int failureRate = BreakerSettings.DEFAULT.failureRate();
    private int slowRate = BreakerSettings.DEFAULT.slowRate();
    private int consecutiveFailures = BreakerSettings.DEFAULT.consecutiveFailures();
    private Duration window = BreakerSettings.DEFAULT.window();
    private int buckets = BreakerSettings.DEFAULT.buckets();
    private int countWindow = BreakerSettings.DEFAULT.countWindow();
    private Duration sleepWindow = BreakerSettings.DEFAULT.sleepWindow();
    private Duration maxSleepWindow = BreakerSettings.DEFAULT.maxSleepWindow();
    private int probes = BreakerSettings.DEFAULT.probes();
    private int probeSuccessPercentage = BreakerSettings.DEFAULT.probeSuccessPercentage();

    private List<Integer> rampShares = BreakerSettings.DEFAULT.rampShares();
    private int rampDecisions = BreakerSettings.DEFAULT.rampDecisions();

    private final Set<String> said = new HashSet<>();

    BreakerSpec() {}

    /** How many measured calls the window needs before a share may open it, 1 or more; default 20. */
    public BreakerSpec requestVolumeThreshold(int calls) {
        said.add("requestVolumeThreshold");
        this.requestVolumeThreshold = calls;
        return this;
    }

    /** Share of failed or slow calls from which it opens, 1 to 100; default 50. */
    public BreakerSpec errorThresholdPercentage(int percentage) {
        said.add("errorThresholdPercentage");
        this.errorThresholdPercentage = Require.percentage("circuitBreaker.errorThresholdPercentage", percentage);
        return this;
    }

    /** Takes the rule on failed or slow calls off, which needs another rule; the ramp then goes by the others. */
    public BreakerSpec noErrorThreshold() {
        said.add("errorThresholdPercentage");
        this.errorThresholdPercentage = 0;
        return this;
    }

    /** Share of failed calls from which it opens, 1 to 100, slow ones not among them; off by default. */
    public BreakerSpec failureRate(int percentage) {
        said.add("failureRate");
        this.failureRate = Require.percentage("circuitBreaker.failureRate", percentage);
        return this;
    }

    /** Share of slow calls from which it opens, 1 to 100, failed ones not among them; off by default. */
    public BreakerSpec slowRate(int percentage) {
        said.add("slowRate");
        this.slowRate = Require.percentage("circuitBreaker.slowRate", percentage);
        return this;
    }

    /**
     * Failed calls in a row from which it opens, 1 or more, however few calls there were; off by default. In a row is in the
     * order of their ends, and a slow answer is none of them.
     */
    public BreakerSpec consecutiveFailures(int calls) {
        said.add("consecutiveFailures");
        this.consecutiveFailures = Require.positive("circuitBreaker.consecutiveFailures", calls);
        return this;
    }

    /**
     * Looks at the last so many measured calls, 1 to 100,000 and at least {@link #requestVolumeThreshold}, instead of the
     * last while; off by default. They count however long ago they were, and cost 8 bytes each. {@link #window} still says
     * for how long a slow call in flight counts.
     */
    public BreakerSpec countWindow(int calls) {
        said.add("countWindow");
        this.countWindow = Require.positive("circuitBreaker.countWindow", calls);
        return this;
    }

    /** What is looked at, at least the command's timeout; default 10 s. It must divide by {@link #buckets}. */
    public BreakerSpec window(Duration window) {
        said.add("window");
        this.window = window;
        return this;
    }

    /** How many parts the window moves by, 2 or more; default 10. */
    public BreakerSpec buckets(int buckets) {
        said.add("buckets");
        this.buckets = buckets;
        return this;
    }

    /** How long it stays open the first time; default 5 s. The longest open time, unless set, is raised to it. */
    public BreakerSpec sleepWindow(Duration sleepWindow) {
        said.add("sleepWindow");
        this.sleepWindow = Objects.requireNonNull(sleepWindow, "circuitBreaker.sleepWindow must not be null");
        return this;
    }

    /** What the open time grows to while probes keep failing, at least the sleep window; default 30 s. */
    public BreakerSpec maxSleepWindow(Duration maxSleepWindow) {
        said.add("maxSleepWindow");
        this.maxSleepWindow = Objects.requireNonNull(maxSleepWindow, "circuitBreaker.maxSleepWindow must not be null");
        return this;
    }

    /** Calls let through half-open, all of which may be in flight at once, 1 or more; default 5. */
    public BreakerSpec probes(int probes) {
        said.add("probes");
        this.probes = probes;
        return this;
    }

    /** Share of the probes that must be good, 1 to 100; default 80. */
    public BreakerSpec probeSuccessPercentage(int percentage) {
        said.add("probeSuccessPercentage");
        this.probeSuccessPercentage = percentage;
        return this;
    }

    /**
     * After good probes, lets a growing share of the calls through before it closes; default 10, 25 and 50 percent for 20
     * decisions each. Of the calls that come, every tenth, every fourth and so on is let through, and the others are
     * refused. A decision is a call of that share which ended well, failed or was slow. A share of which too many are bad for
     * the rules opens the breaker again; one at least half as bad as that, and twice as bad as the share below, goes back to
     * the share below.
     *
     * @param decisions for each share, 1 to 10,000
     * @param shares in percent, 1 to 99, growing; at least one
     */
    public BreakerSpec ramp(int decisions, int... shares) {
        Objects.requireNonNull(shares, "circuitBreaker.ramp must not be null");
        Require.that(shares.length > 0, "circuitBreaker.ramp needs a share; noRamp() is for none");
        said.addAll(List.of("ramp.shares", "ramp.decisions"));
        this.rampDecisions = decisions;
        this.rampShares = Arrays.stream(shares).boxed().toList();
        return this;
    }

    /** Closes as soon as enough probes are good: all calls come back at once. */
    public BreakerSpec noRamp() {
        said.add("ramp.shares");
        this.rampShares = List.of();
        return this;
    }

    static BreakerSpec of(@Nullable Consumer<? super BreakerSpec> customizer) {
        BreakerSpec spec = new BreakerSpec();
        if (customizer != null) {
            customizer.accept(spec);
        }
        return spec;
    }

    /** The names of the settings that were set. */
    Set<String> said() {
        return said;
    }

    BreakerSettings build() {
        return new BreakerSettings(
                true,
                requestVolumeThreshold,
                errorThresholdPercentage,
                failureRate,
                slowRate,
                consecutiveFailures,
                window,
                buckets,
                countWindow,
                sleepWindow,
                said.contains("maxSleepWindow") || sleepWindow.compareTo(maxSleepWindow) <= 0
                        ? maxSleepWindow
                        : sleepWindow,
                probes,
                probeSuccessPercentage,
                rampShares,
                rampDecisions);
    }
}
