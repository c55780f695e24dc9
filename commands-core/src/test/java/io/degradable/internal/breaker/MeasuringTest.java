package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static io.degradable.internal.breaker.Verdict.SLOW;
import static io.degradable.internal.breaker.Verdict.UNUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.CircuitState;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a closed breaker counts, and what it opens by. */
final class MeasuringTest {

    private final BreakerBench bench = new BreakerBench(Breakers.with());

    @DisplayName("B15: a dependency where every call hangs opens the breaker, although no call has ended")
    @Test
    void calls_that_hang_open_it_when_the_next_one_comes() {
        bench.hold(200);

        bench.advance(Duration.ofSeconds(2));

        assertThat(bench.view().window()).isEqualTo(new CircuitWindow(0, 0, 0, 200, 0));
        assertThat(bench.breaker.tryAcquire(bench.ticker.nanos())).isNull();
        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
        assertThat(bench.view().why())
                .isEqualTo("200 of 200 calls failed or slow in 10 s, 200 of them in flight: 100 % >= 50 %");
    }

    @DisplayName("B15: a slow call in flight weighs when another call ends badly")
    @Test
    void calls_that_hang_weigh_when_something_bad_is_booked() {
        List<Held> hanging = bench.hold(19);
        bench.advance(Duration.ofSeconds(2));
        Held failing = new Held(hanging.get(18).permit(), hanging.get(18).startNanos());

        bench.settle(failing, FAILED);

        assertThat(bench.state()).as("19 of 19: below the volume").isEqualTo(CircuitState.CLOSED);
        Held more = bench.hold(1).get(0);
        bench.settle(more, FAILED);
        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void calls_that_are_young_do_not_weigh() {
        bench.hold(200);
        bench.advance(BreakerBench.SLOW);

        bench.hold(1);

        assertThat(bench.view().window().calls()).isZero();
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_slow_call_in_flight_is_counted_once_when_it_ends() {
        List<Held> hanging = bench.hold(10);
        bench.end(30, GOOD);
        bench.advance(Duration.ofSeconds(2));
        assertThat(bench.view().window()).isEqualTo(new CircuitWindow(30, 0, 0, 10, 0));

        bench.settle(hanging.subList(0, 4), SLOW);
        bench.settle(hanging.subList(4, 6), FAILED);
        bench.settle(hanging.subList(6, 10), GOOD);

        assertThat(bench.view().window()).isEqualTo(new CircuitWindow(34, 2, 4, 0, 0));
    }

    @DisplayName("B15, B84: who was refused by a bulkhead is not in flight")
    @Test
    void an_unused_permit_is_not_in_flight() {
        bench.ask(500, UNUSED);
        bench.advance(Duration.ofSeconds(2));

        assertThat(bench.view().window()).isEqualTo(CircuitWindow.EMPTY);
        bench.hold(1);
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_call_that_got_lost_does_no_harm_for_ever() {
        bench.hold(19);
        bench.advance(Duration.ofSeconds(12));

        assertThat(bench.view().window()).isEqualTo(CircuitWindow.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({
        "FFF, OPEN",
        "FFGFF, CLOSED",
        "FFSFF, CLOSED", // a slow answer is an answer
        "FFUF, OPEN", // nothing was learned in between
        "SSS, CLOSED",
        "FFGFFF, OPEN",
    })
    void failures_in_a_row_open_it_at_any_volume(String calls, CircuitState state) {
        BreakerBench inRow = new BreakerBench(Breakers.with().inRow(3));

        calls.chars()
                .forEach(call -> inRow.ask(1, call == 'F' ? FAILED : call == 'S' ? SLOW : call == 'G' ? GOOD : UNUSED));

        assertThat(inRow.state()).isEqualTo(state);
    }

    @DisplayName("B24: one slow and one failed call of four, by one combined share and by two separate ones")
    @ParameterizedTest
    @CsvSource({"50, 0, 0, OPEN", "0, 50, 50, CLOSED"})
    void combined_and_separate_shares(int both, int failed, int slow, CircuitState state) {
        BreakerBench of =
                new BreakerBench(Breakers.with().volume(4).lastCalls(4).rates(both, failed, slow));

        of.end(2, GOOD);
        of.end(1, SLOW);
        of.end(1, FAILED);

        assertThat(of.state()).isEqualTo(state);
    }

    @Test
    void a_count_window_forgets_by_calls_and_not_by_time() {
        BreakerBench of = new BreakerBench(Breakers.with().volume(10).lastCalls(10));
        of.end(4, FAILED);
        of.advance(Duration.ofDays(1));
        of.end(6, GOOD);
        assertThat(of.view().window()).isEqualTo(new CircuitWindow(6, 4, 0, 0, 0));

        of.end(4, GOOD);
        assertThat(of.view().window()).isEqualTo(new CircuitWindow(10, 0, 0, 0, 0));

        of.end(4, FAILED);
        assertThat(of.state()).isEqualTo(CircuitState.CLOSED);
        of.end(1, FAILED);
        assertThat(of.state()).isEqualTo(CircuitState.OPEN);
        assertThat(of.view().why()).isEqualTo("5 of 10 calls failed or slow of the last 10: 50 % >= 50 %");
    }

    @DisplayName("B20, B12: a call from before the break does not enter the window after it")
    @Test
    void each_closed_phase_counts_its_own_calls_in_flight() {
        BreakerBench plain = new BreakerBench(Breakers.with().ramp(20));
        List<Held> before = plain.hold(100);
        plain.ramping();
        assertThat(plain.state()).isEqualTo(CircuitState.CLOSED);

        plain.hold(1);
        plain.settle(before, SLOW);
        plain.advance(Duration.ofSeconds(2));

        assertThat(plain.view().window()).isEqualTo(new CircuitWindow(0, 0, 0, 1, 0));
    }
}
