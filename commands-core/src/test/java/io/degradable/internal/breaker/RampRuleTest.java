package io.degradable.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.RampRule.Next;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RampRuleTest {

    @Test
    void of_any_number_of_calls_the_whole_part_of_the_share_is_let_through_evenly() {
        for (int share = 1; share < 100; share++) {
            long admitted = 0;
            for (long number = 0; number < 1_000; number++) {
                admitted += RampRule.admits(number, share) ? 1 : 0;

                assertThat(admitted).as("%d of %d %%", number + 1, share).isEqualTo((number + 1) * share / 100);
            }
        }
    }

    @Test
    void the_count_of_calls_may_be_of_any_size() {
        long start = Long.MAX_VALUE / 100 * 100 - 100;

        for (int call = 0; call < 100; call++) {
            assertThat(RampRule.admits(start + call, 25)).isEqualTo(call % 4 == 3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // both, failed, slow rate; good, failed, slow; bad below; next
        "50, 0, 0,  0, 0, 0,   -1, STAY",
        "50, 0, 0,  19, 0, 0,  -1, STAY",
        "50, 0, 0,  20, 0, 0,  -1, UP",
        "50, 0, 0,  0, 9, 0,   -1, STAY",
        "50, 0, 0,  0, 10, 0,  -1, OPEN", // ten more good ones would not help
        "50, 0, 0,  0, 5, 5,   -1, OPEN",
        "50, 0, 0,  10, 9, 0,  -1, STAY",
        "50, 0, 0,  11, 9, 0,  -1, UP", // the lowest share has none below
        "50, 0, 0,  11, 9, 0,   0, DOWN",
        "50, 0, 0,  11, 9, 0,   4, DOWN",
        "50, 0, 0,  12, 5, 3,   4, DOWN", // exactly twice as bad as below
        "50, 0, 0,  11, 9, 0,   5, UP", // hardly worse than below: not the load
        "50, 0, 0,  15, 3, 2,   0, DOWN", // a quarter is half of the half
        "50, 0, 0,  16, 2, 2,   0, UP",
        "50, 0, 0,  21, 20, 0,  9, DOWN", // more than needed, when several end at once
        "50, 0, 0,  21, 0, 20,  9, DOWN",
        "50, 0, 0,  20, 20, 0,  9, OPEN",
        "0, 50, 0,  0, 0, 20,   0, UP", // slow ones are no failures
        "0, 50, 0,  0, 10, 0,   0, OPEN",
        "0, 0, 50,  0, 0, 10,   0, OPEN",
        "0, 0, 50,  0, 20, 0,   0, UP",
        "0, 0, 0,   0, 9, 0,    0, STAY", // failures in a row alone: half of the calls
        "0, 0, 0,   0, 5, 5,    0, OPEN",
    })
    void a_step_is_judged_by_its_decisions(
            int both, int failedRate, int slowRate, long good, long failed, long slow, long below, Next next) {
        Breakers breakers = Breakers.with().rates(both, failedRate, slowRate).inRow(1_000);

        assertThat(RampRule.next(Rates.ofRamp(breakers.settings()), good, failed, slow, 20, below))
                .isEqualTo(next);
    }
}
