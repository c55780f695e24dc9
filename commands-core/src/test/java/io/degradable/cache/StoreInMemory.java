package io.degradable.cache;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/** A store that a test can look into, break and hold. */
public final class StoreInMemory implements RemoteCaches {

    public final Map<Object, RemoteCopy<?>> copies = new ConcurrentHashMap<>();
    public final Map<Object, Duration> expiries = new ConcurrentHashMap<>();
    public final AtomicInteger reads = new AtomicInteger();
    public final AtomicInteger writes = new AtomicInteger();

    /** What it throws in place of an answer; null while it is well. */
    public volatile @Nullable Exception broken;

    /** What it waits for before it answers; null while it does not. */
    public volatile @Nullable CountDownLatch held;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public <K, V> RemoteCache<K, V> open(CacheSpec<K, V> spec) {
        return new RemoteCache<>() {
            @Override
            @SuppressWarnings("unchecked") // a test has one cache of a name
            public @Nullable RemoteCopy<V> read(K key) throws Exception {
                reads.incrementAndGet();
                answer();
                return (RemoteCopy<V>) copies.get(key);
            }

            @Override
            public boolean write(K key, RemoteCopy<V> copy, Duration expiry) throws Exception {
                writes.incrementAndGet();
                answer();
                expiries.put(key, expiry);
                return copies.merge(
                                key,
                                copy,
                                (held, offered) -> offered.stampEpochNanos() >= held.stampEpochNanos() ? offered : held)
                        == copy;
            }

            @Override
            public Map<String, Long> unreadable() {
                return Map.of();
            }
        };
    }

    /** Whether it has an invalidation of a key. */
    public boolean marks(Object key) {
        RemoteCopy<?> copy = copies.get(key);
        return copy != null && copy.value() == null;
    }

    private void answer() throws Exception {
        CountDownLatch until = held;
        if (until != null) {
            until.await();
        }
        Exception failure = broken;
        if (failure != null) {
            throw failure;
        }
    }
}
