package io.degradable.internal.execution;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.LocalCache;
import io.degradable.cache.RemoteCaches;
import io.degradable.cache.TieredCache;
import io.degradable.cache.TimedCache;
import io.degradable.cache.WriteBack;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.internal.bulkhead.VirtualThreadBulkhead;
import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.guard.Guard;
import io.degradable.model.CommandKey;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.Differences;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CacheView;
import io.degradable.state.PoolView;
import io.degradable.state.StoreView;
import io.degradable.time.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;

/**
 * What the stages of a container are made of: guards, the bulkheads in them, the pools that guards share by name, caches. One
 * name has one set of figures.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Parts {

    private record DeclaredCache(CacheSpec<?, ?> spec, TimedCache<?, ?> cache) {

        CacheView view(@Nullable RemoteCaches stores) {
            return new CacheView(
                    spec.name(),
                    spec.settings().maximum(),
                    cache.size(),
                    cache.droppedPuts(),
                    stores != null && cache instanceof TieredCache<?, ?> tiered
                            ? Optional.of(new StoreView(
                                    stores.name(),
                                    String.valueOf(spec.settings().stored()),
                                    tiered.written(),
                                    tiered.olderThanStored(),
                                    tiered.failedWrites(),
                                    tiered.droppedWrites(),
                                    tiered.unreadable()))
                            : Optional.empty());
        }
    }

    private final String container;
    private final Ticker ticker;
    private final Executor interrupts;
    private final @Nullable Listeners listeners;
    private final @Nullable RemoteCaches stores;
    private final WriteBack writeBack;
    private final Map<String, ThreadPoolBulkhead> pools = new LinkedHashMap<>(); // guarded by this
    private final Map<String, DeclaredCache> caches = new LinkedHashMap<>(); // guarded by this

    /** Until their last body has ended; a guard that nobody knows any more lets go of its threads by itself. */
    private final Map<VirtualThreadBulkhead, Boolean> virtualThreads = new WeakHashMap<>(); // guarded by this

    Parts(
            String container,
            Ticker ticker,
            Executor interrupts,
            @Nullable Listeners listeners,
            @Nullable RemoteCaches stores,
            WriteBack writeBack) {
        this.container = container;
        this.ticker = ticker;
        this.interrupts = interrupts;
        this.listeners = listeners;
        this.stores = stores;
        this.writeBack = writeBack;
    }

    /**
     * The guard of a stage; its threads are called after the owner.
     *
     * @param declared where its bodies run, as the code has it: by that it is seen whether all who name a pool mean the same
     */
    Guard guard(
            String owner,
            CommandKey command,
            String stage,
            GuardSettings settings,
            BulkheadSettings declared,
            FailureRules rules) {
        return new Guard(
                settings,
                bulkhead(owner, settings.bulkhead(), declared),
                rules,
                ticker,
                interrupts,
                listeners == null ? null : listeners.circuit(command, stage));
    }

    private Bulkhead bulkhead(String owner, BulkheadSettings settings, BulkheadSettings declared) {
        if (declared instanceof BulkheadSettings.ThreadPool pool
                && settings instanceof BulkheadSettings.ThreadPool now) {
            return pool(pool, now);
        }
        if (settings instanceof BulkheadSettings.Semaphore semaphore) {
            return new SemaphoreBulkhead(semaphore.limit());
        }
        if (settings instanceof BulkheadSettings.VirtualThreads virtual) {
            return virtualThreads(owner, virtual);
        }
        return InlineBulkhead.INSTANCE;
    }

    private synchronized Bulkhead virtualThreads(String owner, BulkheadSettings.VirtualThreads settings) {
        VirtualThreadBulkhead made = new VirtualThreadBulkhead(owner, settings);
        virtualThreads.put(made, true);
        return made;
    }

    private synchronized ThreadPoolBulkhead pool(BulkheadSettings.ThreadPool wanted, BulkheadSettings.ThreadPool now) {
        ThreadPoolBulkhead known = pools.get(wanted.name());
        if (known == null) {
            known = new ThreadPoolBulkhead(wanted);
            known.tune(now);
            pools.put(wanted.name(), known);
        }
        if (!known.declared().equals(wanted)) {
            throw new IllegalStateException("thread pool " + wanted.name() + " is known in " + container
                    + " with other figures: " + Differences.between(known.declared(), wanted));
        }
        return known;
    }

    /**
     * Sets other targets for a pool.
     *
     * @throws IllegalArgumentException when there is no such pool
     */
    synchronized void resizePool(String name, int size, int queue) {
        ThreadPoolBulkhead pool = pools.get(name);
        if (pool == null) {
            throw new IllegalArgumentException(
                    "thread pool " + name + " is not known in " + container + ", which has " + pools.keySet());
        }
        pool.resize(size, queue);
    }

    /** Sets a pool to what its properties say, if it is there still. */
    synchronized void tunePool(BulkheadSettings.ThreadPool now) {
        ThreadPoolBulkhead pool = pools.get(now.name());
        if (pool != null) {
            pool.tune(now);
        }
    }

    /** The cache of a spec; made on the first call. */
    @SuppressWarnings("unchecked") // a spec's name has one pair of types; a second use with others would share data
    synchronized <K, V> TimedCache<K, V> cache(CacheSpec<K, V> spec) {
        DeclaredCache known = caches.computeIfAbsent(spec.name(), any -> new DeclaredCache(spec, made(spec)));
        if (!known.spec.settings().equals(spec.settings())) {
            throw new IllegalStateException("cache " + spec.name() + " is known in " + container
                    + " with other figures: "
                    + Differences.between(known.spec.settings(), spec.settings()));
        }
        return (TimedCache<K, V>) known.cache;
    }

    private <K, V> TimedCache<K, V> made(CacheSpec<K, V> spec) {
        return stores != null && spec.isStored()
                ? new TieredCache<>(spec, stores.open(spec), writeBack, ticker)
                : new LocalCache<>(spec, ticker);
    }

    /** Ends the pools that nobody names any more. Their bodies, if any run on, may end. */
    synchronized void keepPools(Set<String> named) {
        pools.values().removeIf(pool -> {
            boolean unnamed = !named.contains(pool.declared().name());
            if (unnamed) {
                pool.shutdown();
            }
            return unnamed;
        });
    }

    /** Everything that has threads. */
    synchronized List<WorkerBulkhead> workers() {
        List<WorkerBulkhead> all = new ArrayList<>(pools.values());
        all.addAll(virtualThreads.keySet());
        return all;
    }

    synchronized List<PoolView> poolViews() {
        return pools.values().stream().<PoolView>map(LivePool::new).toList();
    }

    synchronized List<CacheView> cacheViews() {
        return caches.values().stream().map(known -> known.view(stores)).toList();
    }
}
