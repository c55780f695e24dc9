package io.degradable.internal.window;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.annotation.Nullable;

/**
 * A count over the last while that knows when each part of it was added. The window moves by one bucket at a time and is
 * turned by whoever writes or reads, so an idle one costs nothing and forgets all the same.
 *
 * <p>A bucket belongs to one stretch of time for ever; a place in the ring gets a new bucket by compare-and-set. So no write
 * can land in a bucket that is being cleared, and a read never sees half a reset.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class RollingCounts {

    private static final class Bucket {
        final long index;
        final AtomicLong count;

        Bucket(long index, long first) {
            this.index = index;
            this.count = new AtomicLong(first);
        }
    }

    private final long originNanos;
    private final long bucketNanos;
    private final AtomicReferenceArray<Bucket> ring;

    /**
     * An empty window.
     *
     * @param window what is looked back at
     * @param buckets how many parts it moves by; at least 2, and the window must divide
     * @param nowNanos the moment the window begins to fill
     */
    RollingCounts(Duration window, int buckets, long nowNanos) {
        if (buckets < 2 || window.toNanos() % buckets != 0) {
            throw new IllegalArgumentException("window of " + window + " does not divide into " + buckets + " buckets");
        }
        this.originNanos = nowNanos;
        this.bucketNanos = window.toNanos() / buckets;
        this.ring = new AtomicReferenceArray<>(buckets);
    }

    /** Adds at a moment. A moment that has left the window already counts nowhere. */
    void add(long amount, long nowNanos) {
        long index = indexOf(nowNanos);
        int place = (int) Math.floorMod(index, (long) ring.length());
        while (true) {
            Bucket bucket = ring.get(place);
            if (bucket != null && bucket.index >= index) {
                if (bucket.index == index) {
                    bucket.count.getAndAdd(amount);
                }
                return;
            }
            if (ring.compareAndSet(place, bucket, new Bucket(index, amount))) {
                return;
            }
        }
    }

    /** The count in those buckets of the window that ends now which were over at a moment. */
    long sumBefore(long momentNanos, long nowNanos) {
        long last = indexOf(nowNanos);
        long open = indexOf(momentNanos);
        long sum = 0;
        for (int place = 0; place < ring.length(); place++) {
            Bucket bucket = ring.get(place);
            if (bucket != null && isWithin(bucket, last) && bucket.index < open) {
                sum += bucket.count.get();
            }
        }
        return sum;
    }

    private boolean isWithin(@Nullable Bucket bucket, long last) {
        // A bucket after "last" is possible: the reader took its clock reading before a faster writer.
        return bucket != null && bucket.index > last - ring.length();
    }

    private long indexOf(long nowNanos) {
        return Math.floorDiv(nowNanos - originNanos, bucketNanos);
    }
}
