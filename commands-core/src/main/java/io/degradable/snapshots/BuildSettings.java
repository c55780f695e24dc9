package io.degradable.snapshots;

import io.degradable.settings.Require;

/**
 * How a snapshot is built, and which result is not believed. Immutable: each method gives other settings.
 *
 * @param pageSize items asked for at once, 1 or more; default 5,000
 * @param recordsPerSecond the source is asked no faster than this, on average over a page; above 0; default no limit,
 *     {@link Double#POSITIVE_INFINITY}
 * @param minimumRecords fewer are refused, 0 or more; default 1: an empty snapshot reads as "there is nothing"
 * @param maximumShrinkPercentage refused when it has lost more than this share of the records of the version before, 1 to
 *     100; default 50; 100 for no limit
 * @param keptVersions files that are kept, the new one included, 1 to 100; default 2, so that a reader which finds the
 *     newest one broken has another
 */
public record BuildSettings(
        int pageSize, double recordsPerSecond, long minimumRecords, int maximumShrinkPercentage, int keptVersions) {

    private static final BuildSettings DEFAULTS = new BuildSettings(5_000, Double.POSITIVE_INFINITY, 1, 50, 2);

    public BuildSettings {
        Require.positive("pageSize", pageSize);
        Require.that(recordsPerSecond > 0, "recordsPerSecond must be positive, was " + recordsPerSecond);
        Require.that(minimumRecords >= 0, "minimumRecords must not be negative, was " + minimumRecords);
        Require.percentage("maximumShrinkPercentage", maximumShrinkPercentage);
        Require.that(
                keptVersions >= 1 && keptVersions <= 100, "keptVersions must be from 1 to 100, was " + keptVersions);
    }

    public static BuildSettings defaults() {
        return DEFAULTS;
    }

    public BuildSettings pageSize(int items) {
        return new BuildSettings(items, recordsPerSecond, minimumRecords, maximumShrinkPercentage, keptVersions);
    }

    public BuildSettings recordsPerSecond(double rate) {
        return new BuildSettings(pageSize, rate, minimumRecords, maximumShrinkPercentage, keptVersions);
    }

    public BuildSettings minimumRecords(long records) {
        return new BuildSettings(pageSize, recordsPerSecond, records, maximumShrinkPercentage, keptVersions);
    }

    public BuildSettings maximumShrinkPercentage(int percentage) {
        return new BuildSettings(pageSize, recordsPerSecond, minimumRecords, percentage, keptVersions);
    }

    public BuildSettings keptVersions(int files) {
        return new BuildSettings(pageSize, recordsPerSecond, minimumRecords, maximumShrinkPercentage, files);
    }
}
