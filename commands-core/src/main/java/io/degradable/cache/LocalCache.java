package io.degradable.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntBiFunction;
import javax.annotation.Nullable;

/** A {@link TimedCache} in this process, over Caffeine. */
public final class LocalCache<K, V> implements TimedCache<K, V> {

    /**
     * An entry without a value remembers when its key was invalidated, so that a slow older answer stays out.
     *
     * @param putNanos when it was put here; 0 where nobody asks
     */
    private record Entry<V>(@Nullable V value, long stampNanos, long putNanos) {}

    /** Of the mark of an invalidation, so that a bound by weight holds for them, too. */
    private static final int MARK_WEIGHT = 1;

    private final Cache<K, Entry<V>> entries;
    private final Ticker ticker;
    private final LongAdder dropped = new LongAdder();

    public LocalCache(CacheSpec<K, V> spec, Ticker ticker) {
        this.entries = bounded(spec);
        this.ticker = ticker;
    }

    private static <K, V> Cache<K, Entry<V>> bounded(CacheSpec<K, V> spec) {
        // Maintenance runs on the calling thread: it is short, and no common pool is left behind after close.
        Caffeine<Object, Object> builder = Caffeine.newBuilder().executor(Runnable::run);
        long maximum = spec.settings().maximum();
        ToIntBiFunction<? super K, ? super V> weigher = spec.weigher();
        return weigher == null
                ? builder.maximumSize(maximum).build()
                : builder.maximumWeight(maximum)
                        .weigher((K key, Entry<V> entry) ->
                                entry.value == null ? MARK_WEIGHT : weigher.applyAsInt(key, entry.value))
                        .build();
    }

    @Override
    public Lookup<V> read(K key, Duration window) {
        return judged(entries.getIfPresent(key), window);
    }

    @Override
    public Lookup<V> peek(K key, Duration window) {
        return judged(entries.policy().getIfPresentQuietly(key), window);
    }

    private Lookup<V> judged(@Nullable Entry<V> entry, Duration window) {
        // The clock is read after the copy: a copy stored in between is not from the future.
        long now = ticker.nanos();
        if (entry == null || entry.value == null) {
            return Lookup.of(null, now, window);
        }
        return Lookup.of(entry.value, entry.stampNanos, now, window);
    }

    /** As {@link #read}, but a copy that was put here longer ago than {@code nearNanos} is stale. */
    Lookup<V> confirmed(K key, Duration window, long nearNanos) {
        Entry<V> entry = entries.getIfPresent(key);
        return entry != null && entry.value != null && ticker.nanos() - entry.putNanos > nearNanos
                ? Lookup.stale()
                : judged(entry, window);
    }

    @Override
    public boolean put(K key, Timestamped<V> copy) {
        return put(key, copy, 0);
    }

    /** As {@link #put}, for {@link #confirmed}. */
    boolean put(K key, Timestamped<V> copy, long putNanos) {
        Entry<V> offered = new Entry<>(copy.value(), copy.stampNanos(), putNanos);
        Entry<V> kept = entries.asMap().merge(key, offered, LocalCache::newer);
        if (kept != offered) {
            dropped.increment();
        }
        return kept == offered;
    }

    /** Takes what the store has, which has been asked just now and so confirms what is here when it knows nothing younger. */
    void confirm(K key, Timestamped<V> copy, long askedNanos) {
        entries.asMap().merge(key, new Entry<>(copy.value(), copy.stampNanos(), askedNanos), LocalCache::confirmed);
    }

    private static <V> Entry<V> confirmed(Entry<V> held, Entry<V> offered) {
        Entry<V> kept = newer(held, offered);
        // Two clocks are never the same distance apart twice: the very copy comes back a little older than it went.
        return kept == offered || held.value == null || held.putNanos - offered.putNanos >= 0
                ? kept
                : new Entry<>(held.value, held.stampNanos, offered.putNanos);
    }

    private static <V> Entry<V> newer(Entry<V> held, Entry<V> offered) {
        long younger = offered.stampNanos - held.stampNanos;
        // At the very moment of an invalidation nobody can say which came first, so the copy stays out.
        boolean take = held.value == null ? younger > 0 : younger >= 0;
        return take ? offered : held;
    }

    @Override
    public void invalidate(K key) {
        invalidateNow(key);
    }

    /** As {@link #invalidate}; when that was. */
    long invalidateNow(K key) {
        // The clock is read under the key's lock, so that of two invalidations the later one stays.
        return entries.asMap().compute(key, (same, held) -> new Entry<>(null, ticker.nanos(), 0)).stampNanos;
    }

    /** Removes what was true at a moment or before. */
    void invalidate(K key, long atNanos) {
        entries.asMap()
                .compute(
                        key,
                        (same, held) ->
                                held == null || atNanos - held.stampNanos >= 0 ? new Entry<>(null, atNanos, 0) : held);
    }

    @Override
    public long size() {
        return entries.estimatedSize();
    }

    @Override
    public long droppedPuts() {
        return dropped.sum();
    }
}
