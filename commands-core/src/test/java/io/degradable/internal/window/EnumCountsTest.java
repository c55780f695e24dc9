package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Race;
import java.util.ArrayList;
import java.util.List;
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
}
