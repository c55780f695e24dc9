package io.degradable.snapshots;

import java.nio.file.Path;
import java.time.Duration;

/** What happened to a snapshot. */
public sealed interface SnapshotEvent {

    /** The name of the snapshot. */
    String snapshot();

    /** A reader took a version into service. */
    record Taken(String snapshot, long version, long records) implements SnapshotEvent {}

    /** A reader found a file that it does not take; what was in service stays. */
    record Refused(String snapshot, Path file, String why) implements SnapshotEvent {}

    /** A run of the schedule published a version. */
    record Built(String snapshot, BuiltSnapshot built) implements SnapshotEvent {}

    /** A run of the schedule ended without a new version; the old one stays, and the next run tries again. */
    record Failed(String snapshot, Throwable cause) implements SnapshotEvent {}

    /**
     * No version was published for too long: an alarm. Told again once an interval until there is one.
     *
     * @param age of the newest version; of the schedule itself when it has not seen one
     */
    record Missed(String snapshot, Duration age) implements SnapshotEvent {}
}
