package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LatencyHistogramTest {

    private static final int LAST = LatencyHistogram.BUCKETS - 1;

    private static long[] counts(Duration... durations) {
        long[] counts = new long[LatencyHistogram.BUCKETS];
        for (Duration duration : durations) {
            counts[LatencyHistogram.bucketOf(duration.toNanos())]++;
        }
        return counts;
    }

    @Test
    void the_bounds_of_each_bucket_are_those_of_the_durations_it_counts() {
        for (int bucket = 0; bucket < LAST; bucket++) {
            long bound = LatencyHistogram.upperBound(bucket);

            assertThat(LatencyHistogram.bucketOf(bound - 1))
                    .as("below %d ns", bound)
                    .isEqualTo(bucket);
            assertThat(LatencyHistogram.bucketOf(bound)).as("at %d ns", bound).isEqualTo(bucket + 1);
        }
    }

    @Test
    void the_extremes_have_buckets_of_their_own() {
        assertThat(LatencyHistogram.bucketOf(Long.MIN_VALUE)).isZero();
        assertThat(LatencyHistogram.bucketOf(0)).isZero();
        assertThat(LatencyHistogram.bucketOf((1L << 14) - 1)).isZero();
        assertThat(LatencyHistogram.bucketOf(1L << 36)).isEqualTo(LAST);
        assertThat(LatencyHistogram.bucketOf(Long.MAX_VALUE)).isEqualTo(LAST);
        assertThat(LatencyHistogram.upperBound(0)).isEqualTo(1L << 14);
        assertThat(LatencyHistogram.upperBound(LAST)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_longer_duration_never_lies_in_a_lower_bucket() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000_000; i++) {
            long nanos = random.nextLong() >>> (4 + random.nextInt(56));
            int bucket = LatencyHistogram.bucketOf(nanos);

            assertThat(bucket <= LatencyHistogram.bucketOf(nanos + nanos / 8 + 1)
                            && nanos < LatencyHistogram.upperBound(bucket)
                            && (bucket == 0 || nanos >= LatencyHistogram.upperBound(bucket - 1)))
                    .as("%d ns in bucket %d", nanos, bucket)
                    .isTrue();
        }
    }

    @Test
    void a_bucket_is_at_most_a_quarter_wider_than_its_lower_bound() {
        for (int bucket = 1; bucket < LAST; bucket++) {
            long from = LatencyHistogram.upperBound(bucket - 1);

            assertThat(LatencyHistogram.upperBound(bucket) - from)
                    .as("bucket %d", bucket)
                    .isBetween(from / 8, from / 4);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 1",
        "49.9, 1",
        "50, 1",
        "50.1, 10",
        "90, 10",
        "90.1, 1000",
        "99.9, 1000",
        "100, 1000",
    })
    void a_percentile_is_the_upper_bound_of_the_bucket_it_lies_in(double percentile, long millis) {
        long[] counts = new long[LatencyHistogram.BUCKETS];
        counts[LatencyHistogram.bucketOf(Duration.ofMillis(1).toNanos())] = 500;
        counts[LatencyHistogram.bucketOf(Duration.ofMillis(10).toNanos())] = 400;
        counts[LatencyHistogram.bucketOf(Duration.ofSeconds(1).toNanos())] = 100;

        assertThat(LatencyHistogram.percentile(counts, percentile))
                .isEqualTo(LatencyHistogram.upperBound(
                        LatencyHistogram.bucketOf(Duration.ofMillis(millis).toNanos())));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "33, 1", "34, 10", "50, 10", "66, 10", "67, 100", "100, 100"})
    void a_percentile_between_two_durations_is_the_longer_one(double percentile, long millis) {
        long[] counts = counts(Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofMillis(100));

        assertThat(LatencyHistogram.percentile(counts, percentile))
                .isEqualTo(LatencyHistogram.upperBound(
                        LatencyHistogram.bucketOf(Duration.ofMillis(millis).toNanos())));
    }

    @Test
    void every_percentile_of_one_duration_is_that_duration() {
        long[] counts = counts(Duration.ofMillis(7));
        long bound = LatencyHistogram.upperBound(
                LatencyHistogram.bucketOf(Duration.ofMillis(7).toNanos()));

        for (double percentile : new double[] {0, 0.001, 50, 99.999, 100}) {
            assertThat(LatencyHistogram.percentile(counts, percentile)).isEqualTo(bound);
        }
    }

    @Test
    void without_a_duration_percentile_and_mean_are_zero() {
        assertThat(LatencyHistogram.percentile(counts(), 0)).isZero();
        assertThat(LatencyHistogram.percentile(counts(), 100)).isZero();
        assertThat(LatencyHistogram.mean(counts())).isZero();
    }

    @Test
    void the_longest_durations_read_as_the_lower_bound_of_the_last_bucket() {
        long[] counts = counts(Duration.ofHours(1), Duration.ofDays(1));

        assertThat(LatencyHistogram.percentile(counts, 100)).isEqualTo(1L << 36);
        assertThat(LatencyHistogram.mean(counts)).isEqualTo(1L << 36);
    }

    @Test
    void in_the_mean_each_duration_stands_at_the_middle_of_its_bucket() {
        assertThat(LatencyHistogram.mean(counts(Duration.ZERO))).isEqualTo(1L << 13);
        assertThat(LatencyHistogram.mean(counts(Duration.ofNanos(1L << 20)))).isEqualTo((1L << 20) + (1L << 17));
        assertThat(LatencyHistogram.mean(
                        counts(Duration.ofNanos(1L << 20), Duration.ofNanos(1L << 20), Duration.ofNanos(1L << 22))))
                .isEqualTo((2 * ((1L << 20) + (1L << 17)) + (1L << 22) + (1L << 19)) / 3);
    }

    @Test
    void the_mean_of_many_is_within_an_eighth_of_the_true_one() {
        Random random = new Random(2);
        long[] counts = new long[LatencyHistogram.BUCKETS];
        double sum = 0;
        for (int i = 0; i < 100_000; i++) {
            long nanos = 20_000L + random.nextInt(1_000_000_000);
            counts[LatencyHistogram.bucketOf(nanos)]++;
            sum += nanos;
        }

        double mean = sum / 100_000;
        assertThat((double) LatencyHistogram.mean(counts)).isBetween(mean * 7 / 8, mean * 9 / 8);
    }
}
