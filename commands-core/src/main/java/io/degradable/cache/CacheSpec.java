package io.degradable.cache;

import io.degradable.settings.CacheSettings;
import io.degradable.settings.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.function.ToIntBiFunction;
import javax.annotation.Nullable;

/**
 * Declares a cache of answers, as data; the container makes it. One spec may serve several commands, and each reads it with
 * a freshness window of its own. Immutable: each method gives another spec.
 *
 * <pre>{@code
 * static final CacheSpec<Long, Product> PRODUCTS = CacheSpec.<Long, Product>named("products")
 *         .maximumSize(50_000)
 *         .stored(Codec.longs(), JsonCodec.of(Product.class));
 * }</pre>
 *
 * @param <K> the key; it must carry everything that tells answers apart, such as language and tenant, and have
 *     {@code equals} and {@code hashCode}
 * @param <V> the answer; it is handed out as it was stored, so it should be immutable
 */
public final class CacheSpec<K, V> {

    private final CacheSettings settings;
    private final @Nullable ToIntBiFunction<? super K, ? super V> weigher;
    private final @Nullable Codec<K> keys;
    private final @Nullable Codec<V> values;

    private CacheSpec(
            CacheSettings settings,
            @Nullable ToIntBiFunction<? super K, ? super V> weigher,
            @Nullable Codec<K> keys,
            @Nullable Codec<V> values) {
        this.settings = settings;
        this.weigher = weigher;
        this.keys = keys;
        this.values = values;
    }

    /**
     * A cache of 10,000 copies in this process.
     *
     * @param name unique in a container; 1 to 120 letters, digits and {@code . _ - /}
     */
    public static <K, V> CacheSpec<K, V> named(String name) {
        return new CacheSpec<>(CacheSettings.named(name), null, null, null);
    }

    /** The same cache with another bound: copies kept in memory before the least used go; 1 or more, default 10,000. */
    public CacheSpec<K, V> maximumSize(int maximumSize) {
        return new CacheSpec<>(settings.bounded(maximumSize, false), null, keys, values);
    }

    /**
     * The same cache, bounded by what its copies weigh together.
     *
     * @param maximumWeight 1 or more, in the unit of the weigher
     * @param weigher what one copy weighs, 0 or more, when it is put in; it must only compute
     */
    public CacheSpec<K, V> maximumWeight(long maximumWeight, ToIntBiFunction<? super K, ? super V> weigher) {
        Objects.requireNonNull(weigher, () -> "weigher of cache " + name() + " must not be null");
        return new CacheSpec<>(settings.bounded(maximumWeight, true), weigher, keys, values);
    }

    /**
     * The same cache, which may be kept outside of the process as well: where its container is given {@link RemoteCaches},
     * its copies go there, too, and are read from there when there is none in memory.
     *
     * @param keys how keys are written: all of a key, so that no two have the same bytes
     * @param values how copies are written
     */
    public CacheSpec<K, V> stored(Codec<K> keys, Codec<V> values) {
        Objects.requireNonNull(keys, () -> "codec for the keys of cache " + name() + " must not be null");
        Objects.requireNonNull(values, () -> "codec for the copies of cache " + name() + " must not be null");
        return new CacheSpec<>(settings.stored(keys.name() + " -> " + values.name()), weigher, keys, values);
    }

    /**
     * The same stored cache, of which a copy in memory is read for so long before the store is asked again, which may know
     * a younger one, or that it was invalidated by another instance; default 5 min.
     */
    public CacheSpec<K, V> nearFor(Duration span) {
        return with(settings.nearFor(span));
    }

    /**
     * The same stored cache, whose store may forget a copy after so long; default: the longest freshness window of the
     * commands that read it, and a margin.
     */
    public CacheSpec<K, V> keepFor(Duration span) {
        return with(settings.keepFor(Require.positive("keepFor of cache " + name(), span)));
    }

    /**
     * The same stored cache, which takes a stamp of another process for now when it lies in the future by at most so much;
     * default zero: such a copy is not served.
     */
    public CacheSpec<K, V> clockSkew(Duration span) {
        Objects.requireNonNull(span, () -> "clockSkew of cache " + name() + " must not be null");
        return with(settings.clockSkew(span));
    }

    private CacheSpec<K, V> with(CacheSettings other) {
        return new CacheSpec<>(other, weigher, keys, values);
    }

    public String name() {
        return settings.name();
    }

    /** All of it but its functions. */
    public CacheSettings settings() {
        return settings;
    }

    /** Whether its copies may be kept outside of the process. */
    public boolean isStored() {
        return settings.stored() != null;
    }

    /** How its keys are written; null unless it is stored. */
    public @Nullable Codec<K> keys() {
        return keys;
    }

    /** How its copies are written; null unless it is stored. */
    public @Nullable Codec<V> values() {
        return values;
    }

    /** What a copy weighs; null when copies are counted. */
    public @Nullable ToIntBiFunction<? super K, ? super V> weigher() {
        return weigher;
    }

    @Override
    public String toString() {
        return settings.toString();
    }
}
