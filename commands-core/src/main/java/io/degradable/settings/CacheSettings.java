package io.degradable.settings;

import java.time.Duration;
import javax.annotation.Nullable;

/**
 * A cache of copies as data, without its functions. Two specs of one name in a container must be equal in this.
 *
 * @param name unique in a container
 * @param maximum copies, or their weight, kept in memory before the least used go
 * @param weighed whether {@code maximum} is a weight
 * @param stored the forms in which keys and copies may be kept outside of the process; null when they never are
 * @param nearFor of a stored cache: how long a copy in memory is read before the store is asked again
 * @param keepFor of a stored cache: when the store may forget a copy; null for the longest freshness window, plus a margin
 * @param clockSkew of a stored cache: how far in the future the stamp of another process may lie
 */
public record CacheSettings(
        String name,
        long maximum,
        boolean weighed,
        @Nullable String stored,
        Duration nearFor,
        @Nullable Duration keepFor,
        Duration clockSkew) {

    public static final long DEFAULT_MAXIMUM = 10_000;
    public static final Duration DEFAULT_NEAR_FOR = Duration.ofMinutes(5);

    public CacheSettings {
        Require.name("cache name", name);
        Require.positive((weighed ? "maximumWeight" : "maximumSize") + " of cache " + name, maximum);
        Require.positive("nearFor of cache " + name, nearFor);
        if (keepFor != null) {
            Require.positive("keepFor of cache " + name, keepFor);
        }
        Require.that(
                !clockSkew.isNegative(),
                "clockSkew of cache " + name + " must not be negative, was " + Require.text(clockSkew));
    }

    /** A cache in memory, with the default bound. */
    public static CacheSettings named(String name) {
        return new CacheSettings(name, DEFAULT_MAXIMUM, false, null, DEFAULT_NEAR_FOR, null, Duration.ZERO);
    }

    public CacheSettings bounded(long by, boolean weight) {
        return new CacheSettings(name, by, weight, stored, nearFor, keepFor, clockSkew);
    }

    public CacheSettings stored(String forms) {
        return new CacheSettings(name, maximum, weighed, forms, nearFor, keepFor, clockSkew);
    }

    public CacheSettings nearFor(Duration span) {
        return new CacheSettings(name, maximum, weighed, requireStored("nearFor"), span, keepFor, clockSkew);
    }

    public CacheSettings keepFor(Duration span) {
        return new CacheSettings(name, maximum, weighed, requireStored("keepFor"), nearFor, span, clockSkew);
    }

    public CacheSettings clockSkew(Duration span) {
        return new CacheSettings(name, maximum, weighed, requireStored("clockSkew"), nearFor, keepFor, span);
    }

    private String requireStored(String setting) {
        if (stored == null) {
            throw new IllegalArgumentException(
                    setting + " is for a cache with a store: say stored(...) of cache " + name + " before it");
        }
        return stored;
    }
}
