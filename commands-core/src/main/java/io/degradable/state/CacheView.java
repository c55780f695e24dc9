package io.degradable.state;

/**
 * A cache at one moment.
 *
 * @param name the cache
 * @param maximumSize the most copies it keeps
 * @param size copies it holds, estimated
 * @param droppedPuts copies not stored because they were older than what was there
 */
public record CacheView(String name, int maximumSize, long size, long droppedPuts) {}
