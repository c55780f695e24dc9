package io.degradable.cache;

import javax.annotation.Nullable;

/**
 * A copy as other processes see it.
 *
 * @param value the copy; null for the mark of an invalidation, which keeps out what was true before it
 * @param stampEpochNanos when the body that produced it started, or when the key was invalidated: nanoseconds since 1970
 */
public record RemoteCopy<V>(@Nullable V value, long stampEpochNanos) {}
