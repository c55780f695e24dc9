package io.degradable.internal.window;

/**
 * The buckets in which durations are counted: four to each doubling, from 16 µs to 69 s, one below and one above. They are
 * the same everywhere, so histograms of several stages, instances and moments add up.
 *
 * <p>Log-linear bucketing as in HdrHistogram (Gil Tene), with two significant bits.
 */
public final class LatencyHistogram {

    private static final int SMALLEST_POWER = 14; // 2^14 ns = 16.4 us
    private static final int LARGEST_POWER = 36; // 2^36 ns = 68.7 s
    private static final int PER_DOUBLING = 4;

    /** How many buckets there are. */
    public static final int BUCKETS = (LARGEST_POWER - SMALLEST_POWER) * PER_DOUBLING + 2;

    private LatencyHistogram() {}

    /** The bucket that counts a duration. */
    public static int bucketOf(long nanos) {
        if (nanos < 1L << SMALLEST_POWER) {
            return 0;
        }
        if (nanos >= 1L << LARGEST_POWER) {
            return BUCKETS - 1;
        }
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        int quarter = (int) (nanos >>> (power - 2)) & (PER_DOUBLING - 1);
        return 1 + (power - SMALLEST_POWER) * PER_DOUBLING + quarter;
    }

    /** The first duration that lies above a bucket, in nanoseconds; {@code Long.MAX_VALUE} for the last. */
    public static long upperBound(int bucket) {
        if (bucket == BUCKETS - 1) {
            return Long.MAX_VALUE;
        }
        int power = SMALLEST_POWER + bucket / PER_DOUBLING;
        return (1L << power) + (bucket % PER_DOUBLING) * (1L << (power - 2));
    }

    /**
     * A percentile read off counts of buckets.
     *
     * @param counts one count a bucket
     * @param percentile 0 to 100
     * @return the upper bound of the bucket it lies in (the lower bound of the last), in nanoseconds; 0 without any count
     */
    public static long percentile(long[] counts, double percentile) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        long rank = Math.max(1, (long) Math.ceil(total * percentile / 100));
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= rank) {
                return upperBound(Math.min(bucket, BUCKETS - 2));
            }
        }
        return 0;
    }

    /** The mean as far as buckets tell, each duration standing at the middle of its bucket, in nanoseconds. */
    public static long mean(long[] counts) {
        double sum = 0;
        long total = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            long from = bucket == 0 ? 0 : upperBound(bucket - 1);
            long to = upperBound(Math.min(bucket, BUCKETS - 2));
            sum += counts[bucket] * (from + to) / 2.0;
            total += counts[bucket];
        }
        return total == 0 ? 0 : (long) (sum / total);
    }
}
