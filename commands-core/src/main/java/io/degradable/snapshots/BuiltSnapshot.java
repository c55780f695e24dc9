package io.degradable.snapshots;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot that is there.
 *
 * @param name of the snapshot
 * @param version one more than the version before
 * @param file where it lies
 * @param createdAt when its building began, by the wall clock
 * @param records in it
 * @param bytes of its file
 * @param elapsed how long building took
 */
public record BuiltSnapshot(
        String name, long version, Path file, Instant createdAt, long records, long bytes, Duration elapsed) {}
