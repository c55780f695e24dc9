package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitView;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A breaker held by hand. */
final class ForcedTest {

    private final BreakerBench bench = new BreakerBench(Breakers.with());

    private void forceOpen() {
        bench.breaker.forceOpen("Ann", bench.ticker.nanos());
    }

    private void forceClosed() {
        bench.breaker.forceClosed("Bob", bench.ticker.nanos());
    }

    private boolean release() {
        return bench.breaker.release("Cem", bench.ticker.nanos());
    }

    @DisplayName("B16: forced open outranks the open time that runs out")
    @Test
    void forced_open_stays_so_whatever_time_brings() {
        bench.end(20, FAILED);
        forceOpen();

        for (int day = 0; day < 50; day++) {
            bench.advance(Duration.ofSeconds(5));
            assertThat(bench.ask(10, GOOD)).isZero();
            assertThat(bench.state()).isEqualTo(CircuitState.FORCED_OPEN);
            assertThat(bench.breaker.wouldPermit(bench.ticker.nanos())).isFalse();
        }
        CircuitView view = bench.view();
        assertThat(view.forcedBy()).contains("Ann");
        assertThat(view.why()).isEqualTo("forced by Ann");
        assertThat(view.since()).isEqualTo(Duration.ofSeconds(250));
        assertThat(view.opened()).as("by itself").isEqualTo(1);
    }

    @DisplayName("B16: probes and steps of a ramp in flight move no forced breaker")
    @Test
    void calls_from_before_move_nothing() {
        List<Held> closed = bench.hold(20);
        bench.ramping();
        List<Held> ramp = bench.hold(20);
        forceOpen();

        bench.settle(closed, FAILED);
        bench.settle(ramp, GOOD);

        assertThat(bench.state()).isEqualTo(CircuitState.FORCED_OPEN);
        forceClosed();
        assertThat(bench.view().window()).isEqualTo(CircuitWindow.EMPTY);
    }

    @Test
    void forced_closed_lets_all_through_measures_and_never_opens() {
        forceClosed();

        assertThat(bench.ask(1_000, FAILED)).isEqualTo(1_000);
        bench.advance(Duration.ofSeconds(3));

        assertThat(bench.state()).isEqualTo(CircuitState.FORCED_CLOSED);
        assertThat(bench.view().since()).isEqualTo(Duration.ofSeconds(3));
        assertThat(bench.breaker.wouldPermit(bench.ticker.nanos())).isTrue();
        assertThat(bench.breaker.isClosed()).isTrue();
        assertThat(bench.view().window()).isEqualTo(new CircuitWindow(0, 1_000, 0, 0, 1_000));
        assertThat(bench.view().forcedBy()).contains("Bob");
        assertThat(bench.breaker.opened()).isZero();
    }

    @Test
    void released_from_forced_open_it_finds_out_with_probes_at_once() {
        forceOpen();

        assertThat(release()).isTrue();

        assertThat(bench.state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(bench.view().why()).isEqualTo("released by Cem");
        assertThat(bench.view().forcedBy()).isEmpty();
        bench.end(64, GOOD);
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void released_from_forced_closed_it_measures_anew() {
        forceClosed();
        bench.ask(1_000, FAILED);

        assertThat(release()).isTrue();

        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
        assertThat(bench.view().window()).isEqualTo(CircuitWindow.EMPTY);
        bench.end(19, FAILED);
        assertThat(bench.state()).isEqualTo(CircuitState.CLOSED);
        bench.end(1, FAILED);
        assertThat(bench.state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void the_last_hand_holds_it_and_only_a_held_one_is_released() {
        assertThat(release()).isFalse();
        forceOpen();
        forceClosed();
        assertThat(bench.state()).isEqualTo(CircuitState.FORCED_CLOSED);
        forceOpen();
        assertThat(bench.state()).isEqualTo(CircuitState.FORCED_OPEN);

        assertThat(release()).isTrue();
        assertThat(release()).isFalse();
    }

    @Test
    void a_breaker_that_is_switched_off_can_be_forced_and_is_off_again_when_released() {
        BreakerBench off = new BreakerBench(BreakerSettings.DISABLED);
        off.breaker.forceOpen("Ann", off.ticker.nanos());
        assertThat(off.ask(10, GOOD)).isZero();

        off.breaker.release("Ann", off.ticker.nanos());

        assertThat(off.state()).isEqualTo(CircuitState.DISABLED);
        assertThat(off.ask(1_000, FAILED)).isEqualTo(1_000);
    }
}
