package io.degradable.snapshots;

import io.degradable.settings.Require;
import java.time.Duration;

/**
 * When a snapshot is built.
 *
 * @param every the interval, above 0: a version is due so long after the building of the one before began; default 1 h
 * @param missedAfter it is an alarm when the newest version is so old, at least {@code every}; default one and a half times
 *     as much
 */
public record ScheduleSettings(Duration every, Duration missedAfter) {

    public ScheduleSettings {
        Require.positive("every", every);
        Require.positive("missedAfter", missedAfter);
        Require.that(
                missedAfter.compareTo(every) >= 0,
                "missedAfter must be at least the interval of " + Require.text(every) + ", was "
                        + Require.text(missedAfter));
    }

    /** Once an hour, and an alarm after one and a half. */
    public static ScheduleSettings hourly() {
        return every(Duration.ofHours(1));
    }

    /** Once in a while, and an alarm after one and a half times as long. */
    public static ScheduleSettings every(Duration interval) {
        Require.positive("every", interval);
        return new ScheduleSettings(interval, interval.plus(interval.dividedBy(2)));
    }

    /** The same interval, with another limit for the alarm. */
    public ScheduleSettings missedAfter(Duration span) {
        return new ScheduleSettings(every, span);
    }
}
