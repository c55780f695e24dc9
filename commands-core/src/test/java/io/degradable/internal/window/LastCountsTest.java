package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.Race;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class LastCountsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100})
    void it_holds_exactly_the_last_entries(int size) {
        LastCounts counts = new LastCounts(size);
        ArrayDeque<Integer> last = new ArrayDeque<>();
        Random random = new Random(size);

        for (int entry = 0; entry < 5 * size + 10; entry++) {
            int kind = random.nextInt(3);
            counts.count(null, kind, entry);
            last.addLast(kind);
            if (last.size() > size) {
                last.removeFirst();
            }

            long[] expected = new long[3];
            last.forEach(one -> expected[one]++);
            assertThat(counts.sums(entry)).containsExactly(expected);
        }
    }

    @Test
    void entries_are_never_too_old() {
        LastCounts counts = new LastCounts(3);
        counts.count(null, 1, 0);

        assertThat(counts.sums(Long.MAX_VALUE)).containsExactly(0, 1, 0);
    }

    @Test
    void the_largest_window_fits_into_its_fields() {
        LastCounts counts = new LastCounts(LastCounts.MOST);
        for (int kind = 0; kind < 3; kind++) {
            for (int entry = 0; entry < LastCounts.MOST; entry++) {
                counts.count(null, kind, 0);
            }

            long[] expected = new long[3];
            expected[kind] = LastCounts.MOST;
            assertThat(counts.sums(0)).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, LastCounts.MOST + 1})
    void other_sizes_are_refused(int size) {
        assertThatThrownBy(() -> new LastCounts(size)).hasMessageContaining(String.valueOf(size));
    }

    /** A window of 2 makes writers meet in one place, and laps common. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64})
    void writers_that_race_leave_exactly_the_last_entries(int size) throws Exception {
        try (Race race = new Race(4)) {
            for (int round = 0; round < 3_000; round++) {
                LastCounts counts = new LastCounts(size);

                race.round(side -> {
                    for (int entry = 0; entry < 20; entry++) {
                        counts.count(null, (side + entry) % 3, entry);
                        for (long sum : counts.sums(entry)) {
                            assertThat(sum).isBetween(0L, size + 4L);
                        }
                    }
                    return side;
                });

                long[] sums = counts.sums(0);
                assertThat(sums[0] + sums[1] + sums[2]).as("round %d", round).isEqualTo(size);
                for (int entry = 0; entry < size; entry++) {
                    counts.count(null, 1, entry);
                }
                assertThat(counts.sums(0)).as("round %d, all replaced", round).containsExactly(0, size, 0);
            }
        }
    }

    @Test
    void a_writer_that_is_held_up_for_a_lap_does_not_bring_an_old_entry_back() {
        LastCounts counts = new LastCounts(2);
        long heldUp = counts.draw();
        counts.count(null, 1, 0);
        counts.count(null, 1, 0);

        counts.enter(heldUp, 0);

        assertThat(counts.sums(0)).containsExactly(0, 2, 0);
    }
}
