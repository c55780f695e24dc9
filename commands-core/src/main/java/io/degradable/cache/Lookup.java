package io.degradable.cache;

import io.degradable.time.Spans;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * What a read found: a copy within its window, or why there is none.
 *
 * @param freshness what the copy is worth
 * @param value the copy; null unless fresh
 * @param ageNanos its exact age; 0 unless fresh
 */
public record Lookup<V>(Freshness freshness, @Nullable V value, long ageNanos) {

    private static final Lookup<?> ABSENT = new Lookup<>(Freshness.ABSENT, null, 0);
    private static final Lookup<?> STALE = new Lookup<>(Freshness.STALE, null, 0);
    private static final Lookup<?> FROM_THE_FUTURE = new Lookup<>(Freshness.FROM_THE_FUTURE, null, 0);

    /**
     * Judges a copy. The window is inclusive: an age of exactly the window is fresh, one nanosecond more is not.
     *
     * @param copy what the cache holds; null for nothing
     * @param nowNanos the moment of reading
     * @param window the oldest age that may be served
     */
    @SuppressWarnings("unchecked") // the three shared results hold no value
    public static <V> Lookup<V> of(@Nullable Timestamped<V> copy, long nowNanos, Duration window) {
        return copy == null ? (Lookup<V>) ABSENT : of(copy.value(), copy.stampNanos(), nowNanos, window);
    }

    /** The same for a copy that is there, in its parts. */
    @SuppressWarnings("unchecked") // the shared results hold no value
    static <V> Lookup<V> of(V value, long stampNanos, long nowNanos, Duration window) {
        long age = nowNanos - stampNanos;
        if (age < 0) {
            return (Lookup<V>) FROM_THE_FUTURE;
        }
        return age <= Spans.nanos(window) ? new Lookup<>(Freshness.FRESH, value, age) : (Lookup<V>) STALE;
    }

    /** There is a copy, which claims to be younger than now. */
    @SuppressWarnings("unchecked") // it holds no value
    static <V> Lookup<V> fromTheFuture() {
        return (Lookup<V>) FROM_THE_FUTURE;
    }

    /** There is a copy, which is too old. */
    @SuppressWarnings("unchecked") // it holds no value
    static <V> Lookup<V> stale() {
        return (Lookup<V>) STALE;
    }
}
