package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static io.degradable.internal.breaker.Verdict.SLOW;
import static io.degradable.internal.breaker.Verdict.UNUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.CircuitState;
import io.degradable.state.CircuitRamp;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The way back from half-open to closed, share by share. */
final class RampingTest {

    private final BreakerBench bench = new BreakerBench(Breakers.with()).ramping();

    private int step() {
        return bench.view().ramp().step();
    }

    @DisplayName("B26: the admitted share is a staircase, and only then the breaker is closed")
    @Test
    void good_calls_climb_share_by_share() {
        assertThat(bench.view().ramp()).isEqualTo(new CircuitRamp(1, 3, 10, 0, 0, 0, 20));
        assertThat(bench.ask(199, GOOD)).isEqualTo(19);
        assertThat(bench.state()).isEqualTo(CircuitState.RAMPING);
        assertThat(step()).isEqualTo(1);
        assertThat(bench.ask(1, GOOD)).isEqualTo(1);

        assertThat(bench.view().ramp()).isEqualTo(new CircuitRamp(2, 3, 25, 0, 0, 0, 20));
        assertThat(bench.ask(80, GOOD)).isEqualTo(20);

        assertThat(bench.view().ramp()).isEqualTo(new CircuitRamp(3, 3, 50, 0, 0, 0, 20));
        assertThat(bench.ask(40, GOOD)).isEqualTo(20);

        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
        assertThat(bench.view().why()).isEqualTo("20 of 20 calls good at a share of 50 %");
        assertThat(bench.ask(100, GOOD)).isEqualTo(100);
        assertThat(bench.breaker.opened()).isEqualTo(1);
    }

    @Test
    void without_a_ramp_good_probes_close_it() {
        BreakerBench plain = new BreakerBench(Breakers.with().ramp(20)).ramping();

        assertThat(plain.state()).isEqualTo(CircuitState.CLOSED);
        assertThat(plain.view().why()).isEqualTo("4 of 5 probes good >= 4");
    }

    @Test
    void a_step_as_bad_as_a_window_that_opens_it_is_a_failed_round() {
        bench.end(10, GOOD);
        bench.end(5, SLOW);
        bench.end(4, FAILED);
        assertThat(bench.state()).isEqualTo(CircuitState.RAMPING);

        bench.end(1, FAILED);

        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
        assertThat(bench.view().failedRounds()).isEqualTo(1);
        assertThat(bench.view().why()).isEqualTo("10 of 20 calls failed or slow at a share of 10 %: 50 % >= 50 %");
        assertThat(bench.view().opensFor()).isEqualTo(Duration.ofSeconds(5));
        assertThat(bench.breaker.opened()).isEqualTo(2);
    }

    @Test
    void failed_ramps_make_it_open_for_longer_and_a_closed_breaker_begins_anew() {
        List<Duration> openTimes = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            bench.end(10, FAILED);
            openTimes.add(bench.view().opensFor());
            bench.advance(bench.view().opensFor());
            bench.end(4, GOOD);
        }
        assertThat(openTimes).extracting(Duration::toSeconds).containsExactly(5L, 10L, 20L, 30L, 30L);

        bench.end(60, GOOD);
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
        bench.end(20, FAILED);
        assertThat(bench.view().opensFor()).isEqualTo(Duration.ofSeconds(5));
        assertThat(bench.view().failedRounds()).isZero();
    }

    @DisplayName("B26: a share that hurts goes back to the one below")
    @Test
    void a_step_that_is_much_worse_than_the_one_below_shrinks() {
        bench.end(40, GOOD);
        assertThat(step()).isEqualTo(3);

        bench.end(12, GOOD);
        bench.end(3, SLOW);
        bench.end(5, FAILED);

        assertThat(step()).isEqualTo(2);
        assertThat(bench.view().why())
                .isEqualTo("8 of 20 calls failed or slow at a share of 50 %, 0 at the share below");
        bench.end(12, GOOD);
        bench.end(8, FAILED);
        assertThat(step()).isEqualTo(1);
        assertThat(bench.breaker.opened()).isEqualTo(1);
    }

    @Test
    void a_dependency_that_is_always_as_bad_as_a_closed_breaker_bears_gets_through_the_ramp() {
        for (int step = 0; step < 3; step++) {
            bench.end(14, GOOD);
            bench.end(3, SLOW);
            bench.end(3, FAILED);
        }

        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B04, B84: a cancelled or refused call decides nothing and keeps no place")
    @Test
    void an_unused_permit_is_no_decision() {
        for (int step = 0; step < 3; step++) {
            bench.end(50, UNUSED);
            bench.end(19, GOOD);
            bench.end(50, UNUSED);
            assertThat(step()).isEqualTo(step + 1);
            bench.end(1, GOOD);
        }

        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
        assertThat(bench.view().window()).isEqualTo(CircuitWindow.EMPTY);
    }

    @DisplayName("B14: the refusals of a ramp are nobody's input")
    @Test
    void refusals_decide_nothing() {
        assertThat(bench.ask(9, FAILED)).isZero();
        for (int call = 0; call < 10_000; call++) {
            bench.ask(1, UNUSED);
        }

        assertThat(bench.view().ramp()).isEqualTo(new CircuitRamp(1, 3, 10, 0, 0, 0, 20));
    }

    @DisplayName("B01: calls that never report fail the step, and take up no place")
    @Test
    void lost_calls_fail_the_step_when_the_next_one_comes() {
        bench.hold(10);
        bench.advance(Duration.ofSeconds(2));
        assertThat(bench.view().ramp().overdue()).isEqualTo(10);

        assertThat(bench.ask(10, GOOD)).isZero();

        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
        assertThat(bench.view().why())
                .isEqualTo("10 of 20 calls failed or slow at a share of 10 %, 10 of them in flight: 50 % >= 50 %");
    }

    @DisplayName("B01: a few lost calls do not keep the ramp from closing")
    @Test
    void a_few_lost_calls_stall_nothing() {
        for (int step = 0; step < 3; step++) {
            bench.hold(4);
            bench.end(20, GOOD);
        }

        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B12: calls of an earlier step move nothing in a later one")
    @Test
    void late_results_of_an_earlier_step_move_nothing() {
        List<Held> early = bench.hold(40);
        bench.settle(early.subList(0, 20), GOOD);
        assertThat(step()).isEqualTo(2);

        bench.settle(early.subList(20, 40), FAILED);

        assertThat(bench.view().ramp()).isEqualTo(new CircuitRamp(2, 3, 25, 0, 0, 0, 20));
        bench.end(40, GOOD);
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void everybody_may_ask_in_a_ramp_or_who_asks_first_would_never_be_counted_off() {
        for (int call = 0; call < 20; call++) {
            assertThat(bench.breaker.wouldPermit(bench.ticker.nanos())).isTrue();
        }
        assertThat(bench.breaker.isClosed()).isFalse();
    }

    @Test
    void who_only_looks_whether_a_probe_may_go_finds_lost_ones_out() {
        BreakerBench half = new BreakerBench(Breakers.with());
        half.end(20, FAILED);
        half.advance(half.view().opensFor());
        half.hold(5);
        assertThat(half.breaker.wouldPermit(half.ticker.nanos())).isFalse();
        half.advance(BreakerBench.LEASE.plusNanos(1));

        assertThat(half.breaker.wouldPermit(half.ticker.nanos())).isFalse();
        half.advance(Duration.ofSeconds(5));

        assertThat(half.breaker.wouldPermit(half.ticker.nanos())).isTrue();
    }

    /**
     * A dependency that takes 3 calls each 10 ms and refuses the rest, 1000 calls a second. By count the steps are short at
     * such a rate, so only a limit as sharp as this shows within one.
     */
    @DisplayName("B26: a dependency that bears 30 % gets no more, and the breaker does not flap")
    @Test
    void a_dependency_that_bears_a_third_is_kept_at_a_third() {
        int admitted = 0;
        for (int slice = 0; slice < 6_000; slice++) {
            int taken = 0;
            for (int call = 0; call < 10; call++) {
                Permit permit = bench.breaker.tryAcquire(bench.ticker.nanos());
                if (permit != null) {
                    permit.settle(taken++ < 3 ? GOOD : FAILED, bench.ticker.nanos(), bench.ticker.nanos());
                    admitted++;
                }
            }
            bench.advance(Duration.ofMillis(10));
            if (slice % 100 == 99) {
                assertThat(admitted).as("in second %d", slice / 100).isBetween(90, 360);
                admitted = 0;
            }
        }

        assertThat(bench.breaker.opened()).isEqualTo(1);
    }
}
