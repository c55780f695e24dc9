package io.degradable.cache;

import io.degradable.time.Ticker;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Brings copies to their stores, behind the calls. At most one write of a key waits: a younger copy takes the place of the
 * one before. When more keys wait than there is room for, further copies are dropped and counted; they are in memory, and
 * the next good answer brings another. An invalidation has ten times the room and is tried until it is done, since the store
 * would go on serving what is not true any more.
 *
 * <p>One thread writes, while there is something to write. After a failure it begins slowly and doubles its rate each second,
 * so that a store that comes back is not met by everything that has waited.
 *
 * <p>Threading: every method may be called from any thread, and none blocks.
 */
public final class WriteBack {

    /** After a failure, until a second has passed in which nothing failed. */
    static final double FIRST_PER_SECOND = 20;

    /** From here on it is as fast as it can be. */
    private static final double FULL_PER_SECOND = 10_000;

    private static final int ROOM_OF_MARKS = 10;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A key of a cache, with the hash that it had when it came: it is found by that, whatever becomes of the key. */
    private static final class Target<K, V> {

        private final TieredCache<K, V> cache;
        private final K key;
        private final int hash;

        Target(TieredCache<K, V> cache, K key) {
            this.cache = cache;
            this.key = key;
            this.hash = 31 * cache.hashCode() + key.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Target<?, ?> target
                    && hash == target.hash
                    && cache == target.cache
                    && key.equals(target.key);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @SuppressWarnings("unchecked") // only copies of its own cache wait under it
        void write(RemoteCopy<?> copy) throws Exception {
            cache.write(key, (RemoteCopy<V>) copy);
        }
    }

    // A target is in both of them or in neither, but for a moment.
    private final ConcurrentMap<Target<?, ?>, RemoteCopy<?>> waiting = new ConcurrentHashMap<>();
    private final Queue<Target<?, ?>> order = new ConcurrentLinkedQueue<>();

    private final AtomicInteger targets = new AtomicInteger();
    private final AtomicBoolean writing = new AtomicBoolean();
    private final int room;
    private final Ticker ticker;
    private final Predicate<Runnable> aside;
    private final BooleanSupplier ended;
    private final Runnable whenAtRest;

    // Of the thread that writes; handed on by the flag.
    private double perSecond = FULL_PER_SECOND;
    private long doubledNanos;

    /**
     * The write-back of a container.
     *
     * @param room how many keys may wait
     * @param aside does something on another thread, which is interrupted when the container ends; false when it will not
     * @param ended whether the container has; said before that interrupt
     * @param whenAtRest told when nothing waits any more
     */
    public WriteBack(int room, Ticker ticker, Predicate<Runnable> aside, BooleanSupplier ended, Runnable whenAtRest) {
        this.room = room;
        this.ticker = ticker;
        this.aside = aside;
        this.ended = ended;
        this.whenAtRest = whenAtRest;
    }

    /** Whether something waits or is being written. */
    public boolean isUnderWay() {
        return targets.get() > 0 || writing.get();
    }

    <K, V> void add(TieredCache<K, V> cache, K key, RemoteCopy<V> copy) {
        Target<K, V> target = new Target<>(cache, key);
        Offer offer = new Offer(copy);
        if (waiting.compute(target, offer) == null) {
            cache.counts().dropped.increment();
        } else if (offer.isFirst) {
            order.add(target);
            writeAside();
        } else if (!writing.get()) {
            writeAside(); // there was no thread for the one before
        }
    }

    /** Called once for each copy, under the lock of its key. */
    private final class Offer implements BiFunction<Target<?, ?>, RemoteCopy<?>, RemoteCopy<?>> {

        private final RemoteCopy<?> copy;
        private boolean isFirst;

        Offer(RemoteCopy<?> copy) {
            this.copy = copy;
        }

        @Override
        public @Nullable RemoteCopy<?> apply(Target<?, ?> target, @Nullable RemoteCopy<?> held) {
            if (held != null) {
                return younger(held, copy);
            }
            boolean isMark = copy.value() == null;
            if (targets.incrementAndGet() > (isMark ? room * ROOM_OF_MARKS : room)) {
                targets.decrementAndGet();
                return null;
            }
            isFirst = true;
            return copy;
        }
    }

    /** The later of two; at the very same moment an invalidation. */
    private static RemoteCopy<?> younger(RemoteCopy<?> held, RemoteCopy<?> offered) {
        boolean same = held.stampEpochNanos() == offered.stampEpochNanos();
        boolean take = same ? held.value() != null : offered.stampEpochNanos() > held.stampEpochNanos();
        return take ? offered : held;
    }

    private void writeAside() {
        if (writing.compareAndSet(false, true) && !aside.test(this::writeAll)) {
            writing.set(false); // the container has ended, or there is no thread; the next copy tries again
        }
    }

    private void writeAll() {
        do {
            try {
                for (Target<?, ?> next = next(); next != null; next = next()) {
                    RemoteCopy<?> copy = waiting.remove(next);
                    targets.decrementAndGet();
                    if (copy != null) {
                        write(next, copy);
                    }
                }
            } finally {
                writing.set(false);
            }
            // What came in between found somebody writing.
        } while (!order.isEmpty() && !ended.getAsBoolean() && writing.compareAndSet(false, true));
        whenAtRest.run();
    }

    /**
     * What is to be written next; null for nothing. Not the interrupt ends it but what that was for: a store may swallow it,
     * or leave one of its own behind.
     */
    private @Nullable Target<?, ?> next() {
        boolean unused = Thread.interrupted(); // before the end is asked for, whose interrupt is for the store
        return ended.getAsBoolean() ? null : order.poll();
    }

    private <K, V> void write(Target<K, V> target, RemoteCopy<?> copy) {
        try {
            target.write(copy);
            if (perSecond < FULL_PER_SECOND && ticker.nanos() - doubledNanos >= SECOND_NANOS) {
                perSecond *= 2;
                doubledNanos = ticker.nanos();
            }
        } catch (Throwable failure) { // of the store, or of a codec
            target.cache.counts().failed.increment();
            if (!target.cache.canEncode(target.key, copy.value())) {
                return; // it is not the store that is in trouble, and no trying again would help
            }
            perSecond = FIRST_PER_SECOND;
            doubledNanos = ticker.nanos();
            if (copy.value() == null) {
                addAgain(target, copy);
            }
        }
        pause();
    }

    @SuppressWarnings("unchecked") // it waited under this target
    private <K, V> void addAgain(Target<K, V> target, RemoteCopy<?> mark) {
        add(target.cache, target.key, (RemoteCopy<V>) mark);
    }

    private void pause() {
        if (perSecond < FULL_PER_SECOND) {
            long until = ticker.nanos() + (long) (SECOND_NANOS / perSecond);
            boolean unused = Thread.interrupted(); // as above
            while (until - ticker.nanos() > 0
                    && !ended.getAsBoolean()
                    && !Thread.currentThread().isInterrupted()) {
                ticker.await(this, until);
            }
        }
    }
}
