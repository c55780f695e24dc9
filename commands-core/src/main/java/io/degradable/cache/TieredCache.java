package io.degradable.cache;

import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;

/**
 * A {@link TimedCache} in this process with a store behind it. What is put goes into memory at once and to the store behind
 * the calls; what is read from the store goes into memory with its age, and ages by the ticker from then on.
 *
 * <pre>
 *   put ──► memory ──► write-back ──► store
 *   near ─► memory, while it was put or read from the store less than nearFor ago
 *   readStore ─► store ──► memory, unless that knows better: something younger, an invalidation
 *   read ─► memory
 * </pre>
 *
 * <p>Threading: every method may be called from any thread; {@link #readStore} blocks.
 */
public final class TieredCache<K, V> implements TimedCache<K, V> {

    /** On top of the longest window, for a reader who is a little late or whose clock is. */
    private static final long LEAST_MARGIN_NANOS = Duration.ofSeconds(10).toNanos();

    private static final int MARGIN_DIVISOR = 10;

    /** For copies that no command reads yet. */
    private static final long KEEP_UNREAD_NANOS = Duration.ofHours(1).toNanos();

    private final LocalCache<K, V> memory;
    private final RemoteCache<K, V> store;
    private final @Nullable Codec<K> keys;
    private final @Nullable Codec<V> values;
    private final WriteBack writeBack;
    private final WallClock wallClock;
    private final Ticker ticker;
    private final long nearNanos;
    private final long skewNanos;
    private final long keepNanos;
    private final AtomicLong longestWindowNanos = new AtomicLong();
    private final StoreCounts counts = new StoreCounts();

    /** A cache over a store; what is put is handed to the write-back. */
    public TieredCache(CacheSpec<K, V> spec, RemoteCache<K, V> store, WriteBack writeBack, Ticker ticker) {
        this.memory = new LocalCache<>(spec, ticker);
        this.store = store;
        this.keys = spec.keys();
        this.values = spec.values();
        this.writeBack = writeBack;
        this.wallClock = new WallClock(ticker);
        this.ticker = ticker;
        this.nearNanos = Spans.nanos(spec.settings().nearFor());
        this.skewNanos = Spans.nanos(spec.settings().clockSkew());
        Duration keepFor = spec.settings().keepFor();
        this.keepNanos = keepFor == null ? 0 : Spans.nanos(keepFor);
    }

    /** Says that copies are read up to an age, so that the store keeps them for longer. */
    public void isReadUpTo(Duration window) {
        longestWindowNanos.accumulateAndGet(Spans.nanos(window), Math::max);
    }

    /** After what time the store may forget what it is given. */
    Duration expiry() {
        if (keepNanos > 0) {
            return Duration.ofNanos(keepNanos);
        }
        long window = longestWindowNanos.get();
        return Duration.ofNanos(
                window == 0
                        ? KEEP_UNREAD_NANOS
                        : Spans.sum(window, Math.max(LEAST_MARGIN_NANOS, window / MARGIN_DIVISOR)));
    }

    /** The copy in memory, whenever the store was asked last. */
    @Override
    public Lookup<V> read(K key, Duration window) {
        return memory.read(key, window);
    }

    @Override
    public Lookup<V> peek(K key, Duration window) {
        return memory.peek(key, window);
    }

    /** The copy in memory, unless it is so long since the store was asked that it may know better; then it is stale. */
    public Lookup<V> near(K key, Duration window) {
        return memory.confirmed(key, window, nearNanos);
    }

    /**
     * The copy in the store. It blocks.
     *
     * @throws Exception when the store could not be asked
     */
    public Lookup<V> readStore(K key, Duration window) throws Exception {
        RemoteCopy<V> found = store.read(key);
        long nowNanos = ticker.nanos();
        if (found == null) {
            return Lookup.of(null, nowNanos, window);
        }
        V value = found.value();
        if (value == null) {
            // Whatever its stamp says, it was over when it was read: one from the future keeps nothing out that is to
            // come.
            long leastAgeNanos = Math.max(0, wallClock.leastAgeNanos(found.stampEpochNanos(), nowNanos));
            memory.invalidate(key, nowNanos - leastAgeNanos);
            return Lookup.of(null, nowNanos, window);
        }
        long ageNanos = wallClock.ageNanos(found.stampEpochNanos(), nowNanos);
        if (ageNanos < -skewNanos) {
            return Lookup.fromTheFuture();
        }
        long stampNanos = nowNanos - Math.max(0, ageNanos);
        memory.confirm(key, new Timestamped<>(value, stampNanos), nowNanos);
        // Not what was found: memory may have had something younger, or an invalidation that the store has not heard
        // of.
        return memory.confirmed(key, window, nearNanos);
    }

    @Override
    public boolean put(K key, Timestamped<V> copy) {
        boolean taken = memory.put(key, copy, ticker.nanos());
        if (taken) {
            writeBack.add(this, key, new RemoteCopy<>(copy.value(), wallClock.stamp(copy.stampNanos())));
        }
        return taken;
    }

    @Override
    public void invalidate(K key) {
        long nowNanos = memory.invalidateNow(key);
        writeBack.add(this, key, new RemoteCopy<>(null, wallClock.stamp(nowNanos)));
    }

    /** Called by the write-back. */
    void write(K key, RemoteCopy<V> copy) throws Exception {
        if (store.write(key, copy, expiry())) {
            counts.written.increment();
        } else {
            counts.olderThanStored.increment();
        }
    }

    /** Whether the codecs have a form for a key and its copy, or the mark of an invalidation. */
    boolean canEncode(K key, @Nullable Object value) {
        try {
            return keys == null || values == null || hasForm(keys.encode(key), value);
        } catch (Throwable noForm) {
            return false;
        }
    }

    @SuppressWarnings("unchecked") // only copies of this cache are handed to the write-back under its keys
    private boolean hasForm(byte[] key, @Nullable Object value) throws Exception {
        return key != null && (value == null || values == null || values.encode((V) value) != null);
    }

    StoreCounts counts() {
        return counts;
    }

    @Override
    public long size() {
        return memory.size();
    }

    @Override
    public long droppedPuts() {
        return memory.droppedPuts();
    }

    /** Copies and invalidations that the store has taken. */
    public long written() {
        return counts.written.sum();
    }

    /** Those that the store has something younger than. */
    public long olderThanStored() {
        return counts.olderThanStored.sum();
    }

    /** Those that could not be written, or nobody knows whether they were. */
    public long failedWrites() {
        return counts.failed.sum();
    }

    /** Copies that were not written because too many were waiting. */
    public long droppedWrites() {
        return counts.dropped.sum();
    }

    /** What the store had that could not be read, by reason. */
    public Map<String, Long> unreadable() {
        return store.unreadable();
    }

    /** What became of what the store was to be given. */
    static final class StoreCounts {
        final LongAdder written = new LongAdder();
        final LongAdder olderThanStored = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder dropped = new LongAdder();
    }
}
