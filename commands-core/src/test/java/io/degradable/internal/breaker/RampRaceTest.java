package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.CircuitState;
import io.degradable.testing.Race;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Moves that are wanted at once: exactly one is made. */
@Timeout(60)
final class RampRaceTest {

    @DisplayName("B26: callers that race get exactly the share")
    @Test
    void the_share_is_exact_under_a_race() throws Exception {
        try (Race race = new Race(4)) {
            for (int round = 0; round < 2_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with()).ramping();
                long now = bench.ticker.nanos();

                List<Integer> admitted = race.round(side -> {
                    int own = 0;
                    for (int call = 0; call < 25; call++) {
                        own += bench.breaker.tryAcquire(now) == null ? 0 : 1;
                    }
                    return own;
                });

                assertThat(admitted.stream().mapToInt(Integer::intValue).sum())
                        .as("round %d", round)
                        .isEqualTo(10);
            }
        }
    }

    @Test
    void decisions_that_are_made_together_take_one_step() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < 5_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with().ramp(2, 10, 25, 50)).ramping();
                List<Held> calls = bench.hold(4);

                race.round(side -> {
                    bench.settle(calls.subList(2 * side, 2 * side + 2), GOOD);
                    return side;
                });

                assertThat(bench.view().ramp().step()).as("round %d", round).isEqualTo(2);
            }
        }
    }

    @Test
    void of_a_step_up_and_a_failed_round_exactly_one_happens() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < 10_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with().ramp(1, 50)).ramping();
                List<Held> calls = bench.hold(2);

                race.round(side -> {
                    bench.settle(calls.get(side), side == 0 ? GOOD : FAILED);
                    return side;
                });

                boolean closed = bench.state() == CircuitState.CLOSED;
                assertThat(bench.breaker.opened()).as("round %d", round).isEqualTo(closed ? 1 : 2);
            }
        }
    }

    @DisplayName("B16: whatever races with it, a hand wins")
    @Test
    void a_hand_beats_every_move_of_its_own() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < 10_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with().volume(1));
                Held call = bench.acquire();

                race.round(side -> {
                    if (side == 0) {
                        bench.settle(call, FAILED);
                    } else {
                        bench.breaker.forceClosed("Ann", bench.ticker.nanos());
                    }
                    return side;
                });

                assertThat(bench.state()).as("round %d", round).isEqualTo(CircuitState.FORCED_CLOSED);
            }
        }
    }

    @Test
    void of_two_who_release_one_does() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < 10_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with());
                bench.breaker.forceOpen("Ann", bench.ticker.nanos());

                List<Boolean> released = race.round(side -> bench.breaker.release("Bob", bench.ticker.nanos()));

                assertThat(released).as("round %d", round).containsOnlyOnce(true);
            }
        }
    }

    @DisplayName("B15: callers that find all hanging together open it once, and are all refused")
    @Test
    void callers_that_find_all_hanging_open_it_once() throws Exception {
        try (Race race = new Race(4)) {
            for (int round = 0; round < 3_000; round++) {
                BreakerBench bench = new BreakerBench(Breakers.with());
                bench.hold(30);
                bench.advance(BreakerBench.SLOW.multipliedBy(2));

                race.round(side -> bench.breaker.tryAcquire(bench.ticker.nanos()) == null);

                assertThat(bench.breaker.opened()).as("round %d", round).isEqualTo(1);
                assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
            }
        }
    }

    @Test
    void failures_that_end_together_are_all_in_the_last_calls() throws Exception {
        try (Race race = new Race(4)) {
            for (int round = 0; round < 5_000; round++) {
                BreakerBench bench = new BreakerBench(
                        Breakers.with().volume(12).lastCalls(12).rates(100, 0, 0));
                List<Held> calls = bench.hold(12);

                race.round(side -> {
                    bench.settle(calls.subList(3 * side, 3 * side + 3), FAILED);
                    return side;
                });

                assertThat(bench.breaker.opened()).as("round %d", round).isEqualTo(1);
            }
        }
    }
}
