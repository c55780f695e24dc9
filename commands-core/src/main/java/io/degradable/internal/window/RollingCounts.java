package io.degradable.internal.window;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.annotation.Nullable;

/**
 * Counts of several kinds over the last while. The window moves by one bucket at a time and is turned by whoever writes or
 * reads, so an idle one costs nothing and forgets all the same.
 *
 * <p>A bucket belongs to one stretch of time for ever; a place in the ring gets a new bucket by compare-and-set. So no write
 * can land in a bucket that is being cleared, and a read never sees half a reset.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class RollingCounts implements Window {

    private static final class Bucket {
        final long index;
        final AtomicLongArray counts;

        Bucket(long index, int kinds) {
            this.index = index;
            this.counts = new AtomicLongArray(kinds);
        }
    }

    private final int kinds;
    private final long originNanos;
    private final long bucketNanos;
    private final AtomicReferenceArray<Bucket> ring;

    /**
     * An empty window.
     *
     * @param kinds how many counts are kept apart
     * @param window what is looked back at
     * @param buckets how many parts it moves by; at least 2, and the window must divide
     * @param nowNanos the moment the window begins to fill
     */
    public RollingCounts(int kinds, Duration window, int buckets, long nowNanos) {
        if (buckets < 2 || window.toNanos() % buckets != 0) {
            throw new IllegalArgumentException("window of " + window + " does not divide into " + buckets + " buckets");
        }
        this.kinds = kinds;
        this.originNanos = nowNanos;
        this.bucketNanos = window.toNanos() / buckets;
        this.ring = new AtomicReferenceArray<>(buckets);
    }

    /**
     * Adds to one kind at a moment. A moment that has left the window already counts nowhere. Says whether this began a
     * bucket, which of all that write into it exactly one does.
     */
    public boolean add(int kind, long amount, long nowNanos) {
        long index = indexOf(nowNanos);
        int place = (int) Math.floorMod(index, (long) ring.length());
        while (true) {
            Bucket bucket = ring.get(place);
            if (bucket != null && bucket.index >= index) {
                if (bucket.index == index) {
                    bucket.counts.getAndAdd(kind, amount);
                }
                return false;
            }
            Bucket fresh = new Bucket(index, kinds);
            fresh.counts.setPlain(kind, amount);
            if (ring.compareAndSet(place, bucket, fresh)) {
                return true;
            }
        }
    }

    @Override
    public void count(int kind, long nowNanos) {
        add(kind, 1, nowNanos);
    }

    /** The count of one kind over the window that ends now. */
    public long sum(int kind, long nowNanos) {
        long last = indexOf(nowNanos);
        long sum = 0;
        for (int place = 0; place < ring.length(); place++) {
            Bucket bucket = ring.get(place);
            if (isWithin(bucket, last)) {
                sum += bucket.counts.get(kind);
            }
        }
        return sum;
    }

    /** The count of one kind in those buckets of the window that ends now which were over at a moment. */
    public long sumBefore(int kind, long momentNanos, long nowNanos) {
        long last = indexOf(nowNanos);
        long open = indexOf(momentNanos);
        long sum = 0;
        for (int place = 0; place < ring.length(); place++) {
            Bucket bucket = ring.get(place);
            if (bucket != null && isWithin(bucket, last) && bucket.index < open) {
                sum += bucket.counts.get(kind);
            }
        }
        return sum;
    }

    /** The counts of all kinds over the window that ends now. */
    @Override
    public long[] sums(long nowNanos) {
        long last = indexOf(nowNanos);
        long[] sums = new long[kinds];
        for (int place = 0; place < ring.length(); place++) {
            Bucket bucket = ring.get(place);
            if (isWithin(bucket, last)) {
                for (int kind = 0; kind < kinds; kind++) {
                    sums[kind] += bucket.counts.get(kind);
                }
            }
        }
        return sums;
    }

    private boolean isWithin(@Nullable Bucket bucket, long last) {
        // A bucket after "last" is possible: the reader took its clock reading before a faster writer.
        return bucket != null && bucket.index > last - ring.length();
    }

    private long indexOf(long nowNanos) {
        return Math.floorDiv(nowNanos - originNanos, bucketNanos);
    }
}
