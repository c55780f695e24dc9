package io.degradable.cache;

/**
 * A value and the moment it was true: when the body that produced it started, as a reading of the container's ticker.
 *
 * @param value the copy
 * @param stampNanos when the body that produced it started
 */
public record Timestamped<V>(V value, long stampNanos) {}
