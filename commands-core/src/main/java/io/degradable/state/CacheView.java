package io.degradable.state;

import java.util.Optional;

/**
 * A cache at one moment.
 *
 * @param name the cache
 * @param maximum the most copies it keeps in memory, or their weight
 * @param size copies it holds in memory, estimated
 * @param droppedPuts copies not kept because they were older than what was there
 * @param store what is behind it; empty for a cache in memory alone
 */
public record CacheView(String name, long maximum, long size, long droppedPuts, Optional<StoreView> store) {}
