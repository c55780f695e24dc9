package io.degradable.snapshots;

import java.time.Duration;

/**
 * How far a building has come.
 *
 * @param snapshot its name
 * @param pages read so far
 * @param records taken so far
 * @param bytes of the file so far, compressed, without the index
 * @param elapsed since it began
 */
public record BuildProgress(String snapshot, long pages, long records, long bytes, Duration elapsed) {}
