package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts since the start, and over a window of ten seconds in ten stretches. */
@Timeout(30)
final class TallyTest {

    private static final long SECOND = 1_000_000_000L;

    private static Tally tenSeconds(long origin) {
        return new Tally(2, Duration.ofSeconds(10), 10, origin);
    }

    private static long recent(Tally tally, long now) {
        return tally.sums(now)[0];
    }

    @Test
    void kinds_are_counted_apart_and_since_the_start() {
        Tally tally = tenSeconds(0);

        tally.add(null, 0, 3, 0);
        tally.add(null, 1, 40, 0);
        tally.add(null, 0, 4, 5 * SECOND);

        assertThat(tally.sums(5 * SECOND)).containsExactly(7, 40);
        assertThat(tally.sums(100 * SECOND)).containsExactly(0, 0);
        assertThat(tally.totals()).containsExactly(7, 40);
        assertThat(tally.total(1)).isEqualTo(40);
    }

    @Test
    void a_stretch_leaves_the_window_as_a_whole() {
        Tally tally = tenSeconds(0);
        tally.add(null, 0, 1, 0);
        tally.add(null, 0, 10, SECOND - 1);
        tally.add(null, 0, 100, SECOND);

        assertThat(recent(tally, 10 * SECOND - 1)).isEqualTo(111);
        assertThat(recent(tally, 10 * SECOND)).isEqualTo(100);
        assertThat(recent(tally, 11 * SECOND - 1)).isEqualTo(100);
        assertThat(recent(tally, 11 * SECOND)).isZero();
    }

    @DisplayName("B34: idle gaps of no, one, several and many windows; B114: an idle one forgets when it is read")
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 10, 11, 1_000, 1_000_003, 100_000_000})
    void an_idle_window_forgets_and_counts_again(long windows) {
        Tally tally = tenSeconds(0);
        for (int second = 0; second < 10; second++) {
            tally.add(null, 0, 1, second * SECOND);
        }
        long later = windows * 10 * SECOND + 9 * SECOND;

        assertThat(recent(tally, 9 * SECOND)).isEqualTo(10);
        assertThat(recent(tally, later)).as("read after the gap").isZero();
        tally.add(null, 0, 5, later);
        assertThat(recent(tally, later)).isEqualTo(5);
        assertThat(tally.total(0)).isEqualTo(15);
    }

    @ParameterizedTest
    @CsvSource({"0", "9223372036854775000", "-9223372036854775808", "-1"})
    void it_counts_across_the_end_of_the_clock(long origin) {
        Tally tally = tenSeconds(origin);
        Random random = new Random(origin);
        List<long[]> counted = new ArrayList<>();
        long span = 0;

        for (int i = 0; i < 2_000; i++) {
            span += random.nextInt((int) (SECOND / 2));
            long amount = random.nextInt(9) + 1L;
            tally.add(null, 0, amount, origin + span);
            counted.add(new long[] {span / SECOND, amount});

            long now = span / SECOND;
            long expected = counted.stream()
                    .filter(one -> one[0] > now - 10)
                    .mapToLong(one -> one[1])
                    .sum();
            assertThat(recent(tally, origin + span)).isEqualTo(expected);
        }
    }

    @Test
    void what_is_counted_late_counts_as_now() {
        Tally tally = tenSeconds(0);
        tally.add(null, 0, 1, 7 * SECOND);

        tally.add(null, 0, 10, 2 * SECOND);

        assertThat(recent(tally, 16 * SECOND)).isEqualTo(11);
        assertThat(recent(tally, 17 * SECOND)).isZero();
    }

    @Test
    void whoever_counts_in_a_stretch_is_in_it_although_another_marks_it_at_the_same_time() throws Exception {
        int rounds = 10_000;
        int kinds = 300; // to mark them takes a moment
        Tally[] tallies = new Tally[rounds];
        Arrays.setAll(tallies, round -> new Tally(kinds, Duration.ofSeconds(10), 10, 0));
        for (Tally tally : tallies) {
            tally.add(null, 0, 100, 0);
        }

        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> tallies[round].count(null, 0, 5 * SECOND));
        }

        for (Tally tally : tallies) {
            assertThat(recent(tally, 14 * SECOND)).isEqualTo(2);
            assertThat(tally.total(0)).isEqualTo(102);
        }
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "1000, 3"})
    void a_window_that_does_not_divide_is_refused(long nanos, int stretches) {
        assertThatThrownBy(() -> new Tally(1, Duration.ofNanos(nanos), stretches, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(stretches + " stretches");
    }
}
