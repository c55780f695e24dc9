package io.degradable.state;

/**
 * A cache at one moment.
 *
 * @param name the cache
 * @param maximum the most copies it keeps, or their weight
 * @param size copies it holds, estimated
 * @param droppedPuts copies not stored because they were older than what was there
 */
public record CacheView(String name, long maximum, long size, long droppedPuts) {}
