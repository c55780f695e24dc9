package io.degradable.settings;

import java.time.Duration;
import javax.annotation.Nullable;

/** What the parts of a command owe each other, whether code or a property set them. */
public final class ChainRules {

    private ChainRules() {}

    /** A stage may not take longer than the whole chain. */
    public static void stageTimeout(Duration timeout, Duration budget) {
        Require.that(
                timeout.compareTo(budget) <= 0,
                "timeout of a stage must not exceed the chain's budget of " + Require.text(budget) + ", was "
                        + Require.text(timeout));
    }

    /** A copy that is served before the primary is asked could be served after it, too. */
    public static void beforePrimary(Duration youngerThan, Duration freshness) {
        Require.that(
                youngerThan.compareTo(freshness) <= 0,
                "beforePrimary must not exceed the freshness of " + Require.text(freshness) + ", was "
                        + Require.text(youngerThan));
    }

    /** A copy is not asked for when its store may have forgotten it. */
    public static void freshness(String cache, Duration freshness, @Nullable Duration keepFor) {
        Require.that(
                keepFor == null || freshness.compareTo(keepFor) <= 0,
                "freshness of " + cache + " must not exceed what its store keeps, keepFor of "
                        + (keepFor == null ? "" : Require.text(keepFor)) + ", was " + Require.text(freshness));
    }

    /** A body ends by itself before anybody stops waiting for it. */
    public static void bounded(@Nullable Duration boundedBy, Duration timeout) {
        Require.that(
                boundedBy == null || boundedBy.compareTo(timeout) <= 0,
                "boundedBy must not exceed the timeout of " + Require.text(timeout) + ", was "
                        + (boundedBy == null ? "" : Require.text(boundedBy)));
    }
}
