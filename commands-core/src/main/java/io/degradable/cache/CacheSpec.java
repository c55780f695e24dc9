package io.degradable.cache;

import io.degradable.settings.Require;

/**
 * Declares a cache of answers, as data; the container makes it. One spec may serve several commands, and each reads it with
 * a freshness window of its own.
 *
 * <pre>{@code
 * static final CacheSpec<Long, Product> PRODUCTS = CacheSpec.<Long, Product>named("products").maximumSize(50_000);
 * }</pre>
 *
 * @param <K> the key; it must carry everything that tells answers apart, such as language and tenant, and have
 *     {@code equals} and {@code hashCode}
 * @param <V> the answer; it is handed out as it was stored, so it should be immutable
 * @param name unique in a container
 * @param maximumSize copies kept before the least used go; default 10,000
 */
public record CacheSpec<K, V>(String name, int maximumSize) {

    public CacheSpec {
        Require.name("cache name", name);
        Require.positive("maximumSize of cache " + name, maximumSize);
    }

    /** A cache of 10,000 copies. */
    public static <K, V> CacheSpec<K, V> named(String name) {
        return new CacheSpec<>(name, 10_000);
    }

    /** The same cache with another bound. */
    public CacheSpec<K, V> maximumSize(int maximumSize) {
        return new CacheSpec<>(name, maximumSize);
    }
}
