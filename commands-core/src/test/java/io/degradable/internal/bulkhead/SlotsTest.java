package io.degradable.internal.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.Race;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SlotsTest {

    @Test
    void so_many_slots_can_be_taken_and_taken_again_when_given_back() {
        Slots slots = new Slots(2);

        assertThat(slots.tryTake()).isTrue();
        assertThat(slots.tryTake()).isTrue();
        assertThat(slots.tryTake()).isFalse();
        assertThat(slots.taken()).isEqualTo(2);
        assertThat(slots.limit()).isEqualTo(2);

        slots.giveBack();
        assertThat(slots.taken()).isEqualTo(1);
        assertThat(slots.tryTake()).isTrue();
        assertThat(slots.tryTake()).isFalse();
    }

    @Test
    void a_slot_given_back_twice_is_noticed() {
        Slots slots = new Slots(2);
        slots.tryTake();
        slots.giveBack();

        assertThatThrownBy(slots::giveBack)
                .isInstanceOf(AssertionError.class)
                .hasMessage("a slot was given back twice");
    }

    @DisplayName("B62: 200 threads at a barrier, and exactly the limit gets in")
    @Test
    void never_more_than_the_limit_get_in() throws Exception {
        try (Race race = new Race(200)) {
            for (int round = 0; round < 50; round++) {
                Slots slots = new Slots(10);

                List<Boolean> taken = race.round(side -> slots.tryTake());

                assertThat(taken).as("round %d", round).filteredOn(yes -> yes).hasSize(10);
                assertThat(slots.taken()).isEqualTo(10);
            }
        }
    }

    @DisplayName("B62: of two who reach for the last slot exactly one gets it")
    @Test
    void the_last_slot_goes_to_one() throws Exception {
        int rounds = 200_000;
        Slots[] slots = new Slots[rounds];
        Arrays.setAll(slots, round -> new Slots(1));
        boolean[][] got = new boolean[2][rounds];
        try (Race race = new Race(2)) {
            race.inStep(rounds, (side, round) -> got[side][round] = slots[round].tryTake());
        }

        for (int round = 0; round < rounds; round++) {
            assertThat(got[0][round] ^ got[1][round])
                    .as("exactly one in round %d", round)
                    .isTrue();
        }
    }

    @DisplayName("B62: never more bodies at once than the limit, and no slot gets lost")
    @Test
    void slots_in_use_never_exceed_the_limit() throws Exception {
        Slots slots = new Slots(1);
        AtomicInteger inside = new AtomicInteger();
        try (Race race = new Race(2)) {
            List<Integer> most = race.round(side -> {
                int seen = 0;
                for (int turn = 0; turn < 2_000_000; turn++) {
                    if (slots.tryTake()) {
                        seen = Math.max(seen, inside.incrementAndGet());
                        inside.decrementAndGet();
                        slots.giveBack();
                    }
                }
                return seen;
            });

            assertThat(Collections.max(most)).isEqualTo(1); // one side may find the slot taken each time
        }
        assertThat(slots.taken()).isZero();
    }
}
