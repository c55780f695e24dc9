package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Race;
import io.degradable.time.Lane;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class EnumCountsTest {

    private enum Fruit {
        APPLE,
        PEAR,
        PLUM
    }

    private final EnumCounts<Fruit> counts = new EnumCounts<>(Fruit.class);

    @Test
    void what_never_occurred_is_zero() {
        assertThat(counts.get(Fruit.APPLE)).isZero();
        assertThat(counts.total()).isZero();
    }

    @Test
    void each_constant_has_a_count_of_its_own() {
        counts.increment(Fruit.APPLE);
        counts.increment(Fruit.APPLE);
        counts.increment(Fruit.PLUM);

        assertThat(counts.get(Fruit.APPLE)).isEqualTo(2);
        assertThat(counts.get(Fruit.PEAR)).isZero();
        assertThat(counts.get(Fruit.PLUM)).isEqualTo(1);
        assertThat(counts.total()).isEqualTo(3);
    }

    @Test
    void the_first_counts_of_a_race_are_not_lost() throws Exception {
        int rounds = 200_000;
        List<EnumCounts<Fruit>> raced = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            raced.add(new EnumCounts<>(Fruit.class));
        }
        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> raced.get(round).increment(Fruit.PEAR));
        }

        assertThat(raced).allMatch(one -> one.get(Fruit.PEAR) == 2);
    }

    /** Counts again and again, each time a little further from the end of the stack. */
    @SuppressWarnings("InfiniteRecursion") // it is meant to end at the end of the stack
    private static void countAtTheEndOfTheStack(EnumCounts<Fruit> fresh, Lane lane, int[] left) {
        try {
            countAtTheEndOfTheStack(fresh, lane, left);
        } catch (StackOverflowError bottom) {
            // from here on upwards
        }
        if (left[0]-- > 0) {
            try {
                fresh.increment(lane, Fruit.PEAR);
            } catch (StackOverflowError atTheEnd) {
                // counted or not
            }
        }
    }

    @Test
    void a_lane_whose_first_count_met_the_end_of_the_stack_counts_all_the_same_from_then_on() throws Exception {
        for (int round = 0; round < 60; round++) {
            EnumCounts<Fruit> fresh = new EnumCounts<>(Fruit.class);
            AtomicLong counted = new AtomicLong();
            int[] left = {150};
            Runnable work = () -> {
                Lane lane = Objects.requireNonNull(Lane.enter());
                countAtTheEndOfTheStack(fresh, lane, left);
                long before = fresh.total();
                for (int count = 0; count < 10; count++) {
                    fresh.increment(lane, Fruit.PEAR);
                }
                counted.set(fresh.total() - before);
                lane.holder = null;
            };
            Thread caller = new Thread(null, work, "caller", 160_000 + 1_000L * round);
            caller.start();
            caller.join();

            assertThat(counted).as("round %d", round).hasValue(10);
        }
    }
}
