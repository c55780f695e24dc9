package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A window of ten seconds in ten buckets, of a hundred nanoseconds in ten where only the arithmetic counts. */
@Timeout(30)
final class RollingCountsTest {

    private static final long SECOND = 1_000_000_000L;

    private static RollingCounts tenSeconds(long origin) {
        return new RollingCounts(Duration.ofSeconds(10), 10, origin);
    }

    /** All of it: what was added before a moment far ahead. */
    private static long sum(RollingCounts counts, long nowNanos) {
        return counts.sumBefore(nowNanos + 1_000_000 * SECOND, nowNanos);
    }

    @Test
    void a_bucket_leaves_the_window_as_a_whole() {
        RollingCounts counts = tenSeconds(0);
        counts.add(1, 0);
        counts.add(10, SECOND - 1);
        counts.add(100, SECOND);

        assertThat(sum(counts, 10 * SECOND - 1)).isEqualTo(111);
        assertThat(sum(counts, 10 * SECOND)).isEqualTo(100);
        assertThat(sum(counts, 11 * SECOND - 1)).isEqualTo(100);
        assertThat(sum(counts, 11 * SECOND)).isZero();
    }

    @DisplayName("B34: rotation after idle gaps of no, one, several and many windows")
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 10, 11, 1_000, 1_000_003, 100_000_000})
    void an_idle_window_forgets_and_counts_again(long windows) {
        RollingCounts counts = tenSeconds(0);
        for (int second = 0; second < 10; second++) {
            counts.add(1, second * SECOND);
        }
        long later = windows * 10 * SECOND + 9 * SECOND;

        assertThat(sum(counts, 9 * SECOND)).isEqualTo(10);
        assertThat(sum(counts, later)).as("read after the gap, nothing written").isZero();
        counts.add(5, later);
        assertThat(sum(counts, later)).isEqualTo(5);
    }

    @Test
    void a_place_in_the_ring_is_used_again_without_its_old_counts() {
        RollingCounts counts = tenSeconds(0);

        for (int second = 0; second < 100; second++) {
            counts.add(1, second * SECOND);

            assertThat(sum(counts, second * SECOND)).as("second %d", second).isEqualTo(Math.min(10, second + 1));
        }
    }

    @Test
    void reading_changes_nothing() {
        RollingCounts counts = tenSeconds(0);
        counts.add(1, 0);

        assertThat(sum(counts, 100 * SECOND)).isZero();

        assertThat(sum(counts, 9 * SECOND)).isEqualTo(1);
    }

    @Test
    void a_late_writer_counts_in_its_own_bucket_while_that_is_in_the_window() {
        RollingCounts counts = tenSeconds(0);
        counts.add(1, 12 * SECOND);

        counts.add(10, 3 * SECOND);

        assertThat(sum(counts, 12 * SECOND)).isEqualTo(11);
        assertThat(sum(counts, 13 * SECOND)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"12, 2", "12, 1", "25, 5", "25, 0", "1000, 3"})
    void what_has_left_the_window_counts_nowhere(long now, long late) {
        RollingCounts counts = tenSeconds(0);
        counts.add(1, now * SECOND);

        counts.add(10, late * SECOND);

        assertThat(sum(counts, now * SECOND)).isEqualTo(1);
        assertThat(sum(counts, (now + 9) * SECOND)).isEqualTo(1);
    }

    @Test
    void a_reader_with_an_older_reading_sees_a_faster_writer() {
        RollingCounts counts = tenSeconds(0);

        counts.add(1, 5 * SECOND);

        assertThat(sum(counts, 4 * SECOND)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {0, 17, -1, -5 * SECOND, -12345678901L, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 3 * SECOND
            })
    void the_origin_of_the_clock_does_not_matter(long origin) {
        RollingCounts counts = tenSeconds(origin);
        for (int second = 0; second < 25; second++) {
            counts.add(1, origin + second * SECOND); // overflows on its way for the largest origins
        }

        assertThat(sum(counts, origin + 24 * SECOND)).isEqualTo(10);
        assertThat(sum(counts, origin + 29 * SECOND)).isEqualTo(5);
        assertThat(sum(counts, origin + 34 * SECOND)).isZero();
    }

    @Test
    void a_reading_from_before_the_origin_has_a_bucket_of_its_own() {
        RollingCounts counts = tenSeconds(0);

        counts.add(1, -1);
        counts.add(10, 0);

        assertThat(sum(counts, 0)).isEqualTo(11);
        assertThat(sum(counts, 9 * SECOND)).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"10, 1", "10, 0", "10, -1", "10, 3", "7, 2"})
    void a_window_that_does_not_divide_into_at_least_two_buckets_is_refused(long nanos, int buckets) {
        assertThatThrownBy(() -> new RollingCounts(Duration.ofNanos(nanos), buckets, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("window of " + Duration.ofNanos(nanos) + " does not divide into " + buckets + " buckets");
    }

    @Test
    void eight_writers_lose_nothing_while_time_moves() throws Exception {
        AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 40_000);
        RollingCounts counts = new RollingCounts(Duration.ofSeconds(10), 10, clock.get());
        try (Race race = new Race(8)) {
            race.round(side -> {
                for (int call = 0; call < 100_000; call++) {
                    counts.add(1, clock.addAndGet(10_000)); // 8 s in all, through the overflow
                }
                return side;
            });
        }

        assertThat(sum(counts, clock.get())).isEqualTo(800_000);
    }

    @Test
    void writers_that_turn_the_window_together_lose_nothing() throws Exception {
        List<RollingCounts> raced = new ArrayList<>();
        for (int round = 0; round < 100_000; round++) {
            RollingCounts counts = new RollingCounts(Duration.ofNanos(20), 2, 0);
            counts.add(5, 0); // is stale when the sides write to the same place
            raced.add(counts);
        }
        try (Race race = new Race(2)) {
            race.inStep(raced.size(), (side, round) -> raced.get(round).add(1, 1_000 + side));
        }

        assertThat(raced).allMatch(counts -> sum(counts, 1_001) == 2);
    }

    @Test
    void at_any_moment_the_window_holds_exactly_what_its_buckets_were_given() {
        Random random = new Random(3);
        RollingCounts counts = new RollingCounts(Duration.ofNanos(100), 10, 0);
        long[] model = new long[200_000];
        long now = 0;
        for (int step = 0; step < 20_000; step++) {
            now += random.nextInt(10) == 0 ? random.nextInt(150) : random.nextInt(10);
            if (now >= model.length * 10L) {
                break;
            }
            int bucket = (int) (now / 10);
            counts.add(step % 7, now);
            model[bucket] += step % 7;

            long expected = 0;
            for (int back = Math.max(0, bucket - 9); back <= bucket; back++) {
                expected += model[back];
            }
            assertThat(sum(counts, now)).as("step %d", step).isEqualTo(expected);
        }
    }
}
