package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static io.degradable.internal.breaker.Verdict.UNUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitWindow;
import io.degradable.testing.ManualTicker;
import io.degradable.time.Spans;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every move of the breaker, and every call that must move nothing. The ticker's readings overflow within a minute. */
final class CircuitBreakerTest {

    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration OPEN_FOR = Duration.ofSeconds(5);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofSeconds(1);
    private static final Duration NANO = Duration.ofNanos(1);

    private final ManualTicker ticker = new ManualTicker();
    private CircuitBreaker breaker = breaker(5, 80);

    /** Four calls, half of them bad, open it. */
    private CircuitBreaker breaker(int probes, int probeSuccessPercentage) {
        BreakerSettings settings = new BreakerSettings(
                true, 4, 50, WINDOW, 10, OPEN_FOR, Duration.ofSeconds(30), probes, probeSuccessPercentage);
        return new CircuitBreaker(settings, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos(), () -> 0);
    }

    private Permit acquire() {
        Permit permit = breaker.tryAcquire(ticker.nanos());
        if (permit == null) {
            throw new AssertionError("refused while " + state());
        }
        return permit;
    }

    private boolean refuses() {
        return breaker.tryAcquire(ticker.nanos()) == null;
    }

    private void settle(Permit permit, Verdict verdict) {
        permit.settle(verdict, ticker.nanos(), ticker.nanos());
    }

    private void calls(int count, Verdict verdict) {
        for (int call = 0; call < count; call++) {
            settle(acquire(), verdict);
        }
    }

    private CircuitState state() {
        return breaker.state(ticker.nanos());
    }

    private long[] window() {
        CircuitWindow window = breaker.explain(ticker.nanos()).window();
        return new long[] {window.good(), window.bad()};
    }

    private long since() {
        return ticker.nanos() - breaker.explain(ticker.nanos()).since().toNanos();
    }

    private Duration opensFor() {
        return breaker.explain(ticker.nanos()).opensFor();
    }

    private void open() {
        calls(4, FAILED);
        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    private void untilProbesAreDue() {
        ticker.advance(opensFor());
    }

    private List<Permit> probes(int count) {
        List<Permit> probes = new ArrayList<>();
        for (int probe = 0; probe < count; probe++) {
            probes.add(acquire());
        }
        return probes;
    }

    // ---- closed ----

    @Test
    void a_new_breaker_is_closed_and_lets_all_calls_through() {
        calls(100, GOOD);

        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        assertThat(window()).containsExactly(100, 0);
        assertThat(breaker.wouldPermit(ticker.nanos())).isTrue();
        assertThat(breaker.opened()).isZero();
        assertThat(opensFor()).isZero();
    }

    @Test
    void a_call_of_a_healthy_dependency_allocates_no_permit() {
        assertThat(acquire()).isSameAs(acquire());
    }

    @ParameterizedTest
    @CsvSource({
        "20, 50, 10, 9, CLOSED", // volume not reached
        "20, 50, 10, 10, OPEN",
        "20, 50, 11, 10, CLOSED", // 47 %
        "20, 50, 0, 19, CLOSED",
        "20, 50, 0, 20, OPEN",
        "20, 100, 1, 19, CLOSED",
        "20, 100, 0, 20, OPEN",
        "20, 1, 99, 1, OPEN",
        "20, 1, 100, 1, CLOSED", // 0.99 %
        "1, 50, 0, 1, OPEN",
        "4, 50, 2, 2, OPEN", // B24: failed and slow calls are one share
    })
    void it_opens_at_the_volume_and_the_share_and_not_below(
            int volume, int share, int good, int bad, CircuitState state) {
        breaker = new CircuitBreaker(
                new BreakerSettings(true, volume, share, WINDOW, 10, OPEN_FOR, OPEN_FOR, 5, 80),
                LEASE.toNanos(),
                SLOW.toNanos(),
                ticker.nanos());

        calls(good, GOOD);
        calls(bad, FAILED);

        assertThat(state()).isEqualTo(state);
        assertThat(breaker.opened()).isEqualTo(state == CircuitState.OPEN ? 1 : 0);
    }

    @DisplayName("B07, B84: a permit that was not used is no call")
    @Test
    void an_unused_permit_does_not_enter_the_window() {
        calls(3, FAILED);

        calls(100, UNUSED);

        assertThat(window()).containsExactly(0, 3);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        calls(1, FAILED);
        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void bad_calls_that_have_left_the_window_do_not_open_it() {
        calls(3, FAILED);
        ticker.advance(WINDOW);

        calls(3, FAILED);

        assertThat(window()).containsExactly(0, 3);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void good_calls_that_have_left_the_window_do_not_keep_it_closed() {
        calls(100, GOOD);
        ticker.advance(WINDOW);

        calls(4, FAILED);

        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    // ---- open ----

    @Test
    void it_refuses_for_exactly_the_sleep_window() {
        open();
        assertThat(opensFor()).isEqualTo(OPEN_FOR);

        ticker.advance(OPEN_FOR.minus(NANO));
        assertThat(state()).isEqualTo(CircuitState.OPEN);
        assertThat(breaker.wouldPermit(ticker.nanos())).isFalse();
        assertThat(refuses()).isTrue();
        assertThat(opensFor()).isEqualTo(NANO);

        ticker.advance(NANO);
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(breaker.wouldPermit(ticker.nanos())).isTrue();
        assertThat(opensFor()).isZero();
        assertThat(refuses()).isFalse();
    }

    @Test
    void it_reads_as_half_open_when_the_open_time_is_over_and_reading_takes_no_probe() {
        breaker = breaker(1, 100);
        open();
        untilProbesAreDue();

        for (int read = 0; read < 10; read++) {
            assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
            assertThat(breaker.wouldPermit(ticker.nanos())).isTrue();
        }

        assertThat(refuses()).isFalse();
        assertThat(breaker.wouldPermit(ticker.nanos())).isFalse();
        assertThat(refuses()).isTrue();
    }

    @Test
    void it_stays_due_for_a_probe_however_long_nobody_calls() {
        open();

        ticker.advance(Duration.ofDays(365));

        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(opensFor()).isZero();
        calls(4, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void it_knows_since_when_it_has_been_in_its_phase() {
        long made = ticker.nanos();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(since()).isEqualTo(made);

        open();
        long opened = ticker.nanos();
        ticker.advance(OPEN_FOR.minus(NANO));
        assertThat(since()).isEqualTo(opened);
        ticker.advance(NANO);
        long probesDue = ticker.nanos();
        ticker.advance(Duration.ofSeconds(1));
        assertThat(since()).as("it reads as half-open since then").isEqualTo(probesDue);

        ticker.advance(Duration.ofSeconds(1));
        calls(1, GOOD);
        assertThat(since()).isEqualTo(ticker.nanos());
        ticker.advance(Duration.ofSeconds(1));
        calls(3, GOOD);
        assertThat(since()).isEqualTo(ticker.nanos());
    }

    @DisplayName("B14: the breaker's own refusals are no bad calls")
    @Test
    void refusals_enter_no_window() {
        open();
        for (int call = 0; call < 1_000; call++) {
            assertThat(refuses()).isTrue();
        }
        untilProbesAreDue();
        List<Permit> probes = probes(5);
        for (int call = 0; call < 1_000; call++) {
            assertThat(refuses()).isTrue();
        }

        probes.forEach(probe -> settle(probe, GOOD));

        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        assertThat(window()).containsExactly(0, 0);
        assertThat(breaker.opened()).isEqualTo(1);
    }

    // ---- half-open ----

    @DisplayName("B09: at most so many probes, all of them at once; everybody else is refused")
    @Test
    void half_open_lets_the_probes_through_and_nobody_else() {
        breaker = breaker(2, 100);
        open();
        untilProbesAreDue();

        List<Permit> probes = probes(2);

        for (int call = 0; call < 98; call++) {
            assertThat(refuses()).isTrue();
        }
        assertThat(breaker.wouldPermit(ticker.nanos())).isFalse();
        settle(probes.get(0), GOOD);
        assertThat(refuses()).as("a probe that has a result keeps its place").isTrue();
        settle(probes.get(1), GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B25: a share of the probes decides, as soon as it is certain")
    @ParameterizedTest
    @CsvSource({
        "GGG, HALF_OPEN",
        "GGGG, CLOSED",
        "B, HALF_OPEN",
        "BGGG, HALF_OPEN",
        "BGGGG, CLOSED",
        "GGGBG, CLOSED",
        "BB, OPEN",
        "GGGBB, OPEN",
        "UUUUU, HALF_OPEN",
        "UBUGUGUGUG, CLOSED",
        "UBUB, OPEN",
    })
    void the_probes_decide_by_their_share(String results, CircuitState state) {
        open();
        untilProbesAreDue();

        results.chars().forEach(result -> calls(1, result == 'G' ? GOOD : result == 'B' ? FAILED : UNUSED));

        assertThat(state()).isEqualTo(state);
        assertThat(breaker.opened()).isEqualTo(state == CircuitState.OPEN ? 2 : 1);
    }

    @Test
    void probes_in_flight_together_decide_in_the_order_of_their_ends() {
        open();
        untilProbesAreDue();
        List<Permit> probes = probes(5);

        settle(probes.get(4), FAILED);
        settle(probes.get(1), GOOD);
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        settle(probes.get(3), FAILED);

        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    @DisplayName("B02, B04, B07: an ignored, cancelled or refused probe makes room for another")
    @Test
    void a_probe_handed_back_unused_is_no_result() {
        breaker = breaker(1, 100);
        open();
        untilProbesAreDue();

        for (int probe = 0; probe < 10; probe++) {
            Permit unused = acquire();
            assertThat(refuses()).isTrue();
            settle(unused, UNUSED);
            assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        }

        calls(1, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B01: a probe that never reports counts as failed when its lease is over")
    @Test
    void a_lost_probe_opens_the_breaker_on_its_schedule() {
        breaker = breaker(1, 100);
        open();
        untilProbesAreDue();
        acquire();

        ticker.advance(LEASE);
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        ticker.advance(NANO);
        assertThat(state()).isEqualTo(CircuitState.OPEN);
        assertThat(breaker.opened()).isEqualTo(2);

        ticker.advance(OPEN_FOR);
        calls(1, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @DisplayName("B01: the next call finds a lost probe out, when nobody looks at the state")
    @Test
    void a_call_finds_a_lost_probe_out() {
        breaker = breaker(1, 100);
        open();
        untilProbesAreDue();
        acquire();
        ticker.advance(LEASE.plus(NANO));

        assertThat(refuses()).isTrue();

        assertThat(opensFor()).isEqualTo(OPEN_FOR);
        ticker.advance(OPEN_FOR);
        assertThat(refuses()).isFalse();
    }

    @DisplayName("B01: the end of another probe finds a lost one out")
    @Test
    void a_probe_that_ends_finds_lost_ones_out() {
        open();
        untilProbesAreDue();
        probes(2);
        ticker.advance(Duration.ofSeconds(1));
        Permit later = acquire();
        ticker.advance(LEASE.minus(Duration.ofSeconds(1)).plus(NANO));

        settle(later, GOOD);

        assertThat(opensFor()).as("two of five were lost").isEqualTo(OPEN_FOR);
    }

    @Test
    void one_lost_probe_of_five_does_not_prevent_closing() {
        open();
        untilProbesAreDue();
        acquire();
        ticker.advance(LEASE.plus(NANO));

        calls(4, GOOD);

        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_probe_that_reports_after_its_lease_moves_nothing() {
        open();
        untilProbesAreDue();
        Permit late = acquire();
        calls(3, GOOD);
        ticker.advance(LEASE.plus(NANO));

        settle(late, GOOD);
        assertThat(state()).as("three good, one lost").isEqualTo(CircuitState.HALF_OPEN);
        settle(late, FAILED);
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);

        calls(1, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_probe_counts_once_however_often_it_reports() {
        open();
        untilProbesAreDue();
        Permit probe = acquire();

        for (int report = 0; report < 10; report++) {
            settle(probe, GOOD);
            settle(probe, FAILED);
            settle(probe, UNUSED);
        }

        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(probes(4)).hasSize(4);
        assertThat(refuses()).isTrue();
    }

    @Test
    void each_half_open_phase_begins_without_results() {
        open();
        untilProbesAreDue();
        calls(3, GOOD);
        calls(2, FAILED);
        untilProbesAreDue();

        calls(1, GOOD);

        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        calls(3, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void a_breaker_that_has_closed_begins_with_an_empty_window() {
        open();
        untilProbesAreDue();
        calls(4, GOOD);

        assertThat(window()).containsExactly(0, 0);
        calls(3, FAILED);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        calls(1, FAILED);
        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    // ---- late results ----

    @DisplayName("B12: calls that began while it was closed end later and move nothing")
    @Test
    void late_results_from_before_the_break_move_nothing() {
        List<Permit> stragglers = probes(40);
        open();
        stragglers.subList(0, 10).forEach(straggler -> settle(straggler, FAILED));
        assertThat(breaker.opened()).isEqualTo(1);
        assertThat(opensFor()).isEqualTo(OPEN_FOR);

        untilProbesAreDue();
        calls(1, GOOD);
        stragglers.subList(10, 20).forEach(straggler -> settle(straggler, GOOD));
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        stragglers.subList(20, 30).forEach(straggler -> settle(straggler, FAILED));
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(breaker.opened()).isEqualTo(1);

        calls(3, GOOD);
        stragglers.subList(30, 40).forEach(straggler -> settle(straggler, FAILED));
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        assertThat(window()).containsExactly(0, 0);
    }

    @DisplayName("B12: probes of an earlier half-open phase move nothing")
    @Test
    void late_probes_move_no_later_phase() {
        open();
        untilProbesAreDue();
        List<Permit> first = probes(5);
        settle(first.get(0), FAILED);
        settle(first.get(1), FAILED);
        assertThat(state()).isEqualTo(CircuitState.OPEN);

        settle(first.get(2), FAILED);
        assertThat(breaker.opened()).isEqualTo(2);
        untilProbesAreDue();
        calls(1, GOOD);
        settle(first.get(3), FAILED);
        settle(first.get(4), FAILED);
        assertThat(state()).isEqualTo(CircuitState.HALF_OPEN);

        calls(3, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        assertThat(breaker.opened()).isEqualTo(2);
    }

    @Test
    void a_late_probe_does_not_close_what_has_opened_again() {
        breaker = breaker(2, 50);
        open();
        untilProbesAreDue();
        List<Permit> probes = probes(2);
        settle(probes.get(0), GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);
        open();

        settle(probes.get(1), GOOD);

        assertThat(state()).isEqualTo(CircuitState.OPEN);
    }

    // ---- how long it stays open ----

    /** The times an open breaker stays open when {@code rounds} half-open phases fail one after the other. */
    private List<Duration> openTimes(int rounds) {
        List<Duration> times = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            times.add(opensFor());
            untilProbesAreDue();
            probes(5).forEach(probe -> settle(probe, FAILED));
        }
        return times;
    }

    private static List<Duration> seconds(double... seconds) {
        List<Duration> durations = new ArrayList<>();
        for (double second : seconds) {
            durations.add(Duration.ofNanos(Math.round(second * 1e9)));
        }
        return durations;
    }

    private CircuitBreaker breakerWithJitter(double jitter) {
        return new CircuitBreaker(
                BreakerSettings.DEFAULT, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos(), () -> jitter);
    }

    private void openByDefault() {
        calls(20, FAILED);
    }

    @Test
    void it_opens_for_longer_from_the_second_failed_half_open_phase_on_up_to_the_longest_time() {
        open();

        assertThat(openTimes(6)).isEqualTo(seconds(5, 5, 10, 20, 30, 30, 30));
    }

    @Test
    void jitter_shortens_grown_times_only() {
        breaker = breakerWithJitter(1);
        openByDefault();

        assertThat(openTimes(6)).isEqualTo(seconds(5, 5, 9, 18, 27, 27, 27));
    }

    @Test
    void jitter_takes_a_part_of_a_tenth() {
        breaker = breakerWithJitter(0.5);
        openByDefault();

        assertThat(openTimes(3)).isEqualTo(seconds(5, 5, 9.5, 19));
    }

    @Test
    void breakers_that_failed_together_do_not_probe_together() {
        Set<Duration> third = new HashSet<>();
        for (int one = 0; one < 50; one++) {
            breaker = new CircuitBreaker(BreakerSettings.DEFAULT, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos());
            openByDefault();
            List<Duration> times = openTimes(2);

            assertThat(times.subList(0, 2)).isEqualTo(seconds(5, 5));
            assertThat(times.get(2)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(10));
            third.add(times.get(2));
        }

        assertThat(third).hasSizeGreaterThan(40);
    }

    @Test
    void a_breaker_that_has_closed_opens_for_the_first_time_again() {
        open();
        openTimes(4);
        untilProbesAreDue();
        calls(4, GOOD);
        assertThat(state()).isEqualTo(CircuitState.CLOSED);

        open();

        assertThat(openTimes(2)).isEqualTo(seconds(5, 5, 10));
    }

    @Test
    void an_expired_lease_makes_it_open_for_longer_as_a_failed_probe_does() {
        breaker = breaker(1, 100);
        open();
        untilProbesAreDue();
        calls(1, FAILED);
        untilProbesAreDue();
        acquire();
        ticker.advance(LEASE.plus(NANO));

        assertThat(state()).isEqualTo(CircuitState.OPEN);
        assertThat(opensFor()).isEqualTo(Duration.ofSeconds(10));
    }

    @DisplayName("B30: the open time doubles and never overflows, however many rounds fail and however long it is")
    @ParameterizedTest
    @ValueSource(longs = {1, 5_000_000_000L, Spans.FOREVER / 2 + 1, Spans.FOREVER - 1, Long.MAX_VALUE})
    void the_open_time_never_overflows(long sleepNanos) {
        Duration sleep = Duration.ofNanos(sleepNanos);
        BreakerSettings settings =
                new BreakerSettings(true, 4, 50, WINDOW, 10, sleep, Duration.ofNanos(Long.MAX_VALUE), 5, 80);
        for (int rounds : new int[] {0, 1, 2, 3, 30, 62, 63, 64, 65, 1_025, 1 << 20, Integer.MAX_VALUE}) {
            breaker = new CircuitBreaker(settings, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos(), () -> 0);

            breaker.open((Phase) acquire(), rounds, Why.NEW, ticker.nanos());

            int doublings = Math.min(62, Math.max(0, rounds - 1)); // 62 reach the longest time there is
            assertThat(breaker.explain(ticker.nanos()).opensFor().toNanos())
                    .as("after %d rounds", rounds)
                    .isEqualTo(BigInteger.valueOf(Spans.nanos(sleep))
                            .shiftLeft(doublings)
                            .min(BigInteger.valueOf(Spans.FOREVER))
                            .longValueExact());
        }
    }

    // ---- disabled ----

    @Test
    void a_disabled_breaker_lets_all_calls_through_and_measures_none() {
        breaker = new CircuitBreaker(BreakerSettings.DISABLED, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos());
        long made = ticker.nanos();

        calls(1_000, FAILED);
        ticker.advance(WINDOW);

        assertThat(state()).isEqualTo(CircuitState.DISABLED);
        assertThat(breaker.wouldPermit(ticker.nanos())).isTrue();
        assertThat(refuses()).isFalse();
        assertThat(window()).containsExactly(0, 0);
        assertThat(breaker.opened()).isZero();
        assertThat(opensFor()).isZero();
        assertThat(since()).isEqualTo(made);
    }
}
