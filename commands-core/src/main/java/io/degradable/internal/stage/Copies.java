package io.degradable.internal.stage;

import io.degradable.cache.Lookup;
import java.time.Duration;

/** One of the ways to look up a copy in a cache. */
@FunctionalInterface
public interface Copies<K, V> {

    /** The copy under a key, if it is at most {@code window} old. */
    Lookup<V> look(K key, Duration window) throws Exception;
}
