package io.degradable.snapshots;

import io.degradable.settings.Require;
import java.time.Duration;
import java.util.Objects;

/**
 * How a snapshot is read. Immutable: each method gives other settings.
 *
 * @param checkEvery how often the directory is looked at for a newer version, above 0; default 30 s
 * @param clockSkew how far the stamp of a version may lie in the future, by clocks that differ, 0 or more; default 0: such a
 *     version is refused until its stamp is over
 */
public record ReaderSettings(Duration checkEvery, Duration clockSkew) {

    private static final ReaderSettings DEFAULTS = new ReaderSettings(Duration.ofSeconds(30), Duration.ZERO);

    public ReaderSettings {
        Require.positive("checkEvery", checkEvery);
        Objects.requireNonNull(clockSkew, "clockSkew must not be null");
        Require.that(!clockSkew.isNegative(), "clockSkew must not be negative, was " + Require.text(clockSkew));
    }

    public static ReaderSettings defaults() {
        return DEFAULTS;
    }

    public ReaderSettings checkEvery(Duration span) {
        return new ReaderSettings(span, clockSkew);
    }

    public ReaderSettings clockSkew(Duration span) {
        return new ReaderSettings(checkEvery, span);
    }
}
