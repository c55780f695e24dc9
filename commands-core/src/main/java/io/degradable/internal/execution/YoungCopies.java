package io.degradable.internal.execution;

import io.degradable.cache.Freshness;
import io.degradable.cache.Lookup;
import io.degradable.internal.stage.Copies;
import java.time.Duration;
import javax.annotation.Nullable;

/**
 * Copies that are young enough to be served although the primary could be asked: younger than the spec says, or, while
 * somebody is fetching a new one, within their freshness window.
 *
 * <p>What was written at the same moment does not grow old at the same moment, or the primary would get all of it at once:
 * by its hash, each key takes up to a tenth of the time less.
 *
 * @param copies where they are
 * @param fetched what is being fetched; null when that is no reason to take an older one
 */
record YoungCopies<K, V>(
        Copies<K, V> copies, long youngNanos, @Nullable Flights fetched) implements Copies<K, V> {

    private static final int JITTER_DIVISOR = 10;
    private static final int STEPS = 1_024;

    /** Spreads what differs in the low bits only: 2^32 divided by the golden ratio (Knuth, TAOCP 3, section 6.4). */
    private static final int SPREADING = 0x9E3779B9;

    @Override
    public Lookup<V> look(K key, Duration window) throws Exception {
        Lookup<V> found = copies.look(key, window);
        boolean isYoung = found.freshness() != Freshness.FRESH || found.ageNanos() <= youngNanos(key);
        return isYoung || (fetched != null && fetched.isUnderWay(key)) ? found : new Lookup<>(Freshness.STALE, null, 0);
    }

    private long youngNanos(K key) {
        int step = (key.hashCode() * SPREADING) >>> (Integer.SIZE - 10);
        return youngNanos - youngNanos / JITTER_DIVISOR / STEPS * step;
    }
}
