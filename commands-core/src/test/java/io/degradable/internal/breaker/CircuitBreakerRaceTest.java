package io.degradable.internal.breaker;

import static io.degradable.internal.breaker.Verdict.FAILED;
import static io.degradable.internal.breaker.Verdict.GOOD;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.model.CircuitState;
import io.degradable.settings.BreakerSettings;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.degradable.time.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class CircuitBreakerRaceTest {

    private static final Duration OPEN_FOR = Duration.ofSeconds(5);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker();

    private CircuitBreaker breaker(int probes, int probeSuccessPercentage) {
        BreakerSettings settings = new BreakerSettings(
                true,
                10,
                50,
                Duration.ofSeconds(10),
                10,
                OPEN_FOR,
                Duration.ofSeconds(30),
                probes,
                probeSuccessPercentage);
        return new CircuitBreaker(settings, LEASE.toNanos(), SLOW.toNanos(), ticker.nanos(), () -> 0);
    }

    private CircuitBreaker openBreaker(int probes, int probeSuccessPercentage) {
        CircuitBreaker breaker = breaker(probes, probeSuccessPercentage);
        bad(breaker, 10);
        assertThat(breaker.state(ticker.nanos())).isEqualTo(CircuitState.OPEN);
        return breaker;
    }

    private void bad(CircuitBreaker breaker, int calls) {
        for (int call = 0; call < calls; call++) {
            acquire(breaker).settle(FAILED, ticker.nanos(), ticker.nanos());
        }
    }

    private Permit acquire(CircuitBreaker breaker) {
        Permit permit = breaker.tryAcquire(ticker.nanos());
        if (permit == null) {
            throw new AssertionError("refused");
        }
        return permit;
    }

    @DisplayName("B10: 64 threads see the open time over, and exactly as many as configured become probes")
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void exactly_the_probes_are_let_through(int probes) throws Exception {
        try (Race race = new Race(64)) {
            for (int round = 0; round < 1_000; round++) {
                CircuitBreaker breaker = openBreaker(probes, 100);
                ticker.advance(OPEN_FOR);
                long now = ticker.nanos();

                List<Boolean> granted = race.round(side -> breaker.tryAcquire(now) != null);

                assertThat(granted).as("round %d", round).filteredOn(yes -> yes).hasSize(probes);
            }
        }
    }

    @DisplayName("B19: 64 probes fail together, and the breaker opens once")
    @Test
    void probes_that_fail_together_open_it_once() throws Exception {
        try (Race race = new Race(64)) {
            for (int round = 0; round < 500; round++) {
                CircuitBreaker breaker = openBreaker(64, 80);
                ticker.advance(OPEN_FOR);
                long now = ticker.nanos();
                List<Permit> probes = new ArrayList<>();
                for (int probe = 0; probe < 64; probe++) {
                    probes.add(acquire(breaker));
                }

                race.round(side -> {
                    probes.get(side).settle(FAILED, now, now);
                    return side;
                });

                assertThat(breaker.state(now)).as("round %d", round).isEqualTo(CircuitState.OPEN);
                assertThat(breaker.opened()).as("round %d", round).isEqualTo(2);
            }
        }
    }

    @Test
    void each_move_is_told_once_by_who_made_it() throws Exception {
        int sides = 4;
        BreakerSettings settings = Breakers.with().volume(1).settings();
        try (Race race = new Race(sides)) {
            for (int round = 0; round < 500; round++) {
                Queue<List<CircuitState>> told = new ConcurrentLinkedQueue<>();
                CircuitBreaker breaker = new CircuitBreaker(
                        settings,
                        LEASE.toNanos(),
                        SLOW.toNanos(),
                        ticker.nanos(),
                        () -> 0,
                        (from, to, why, byHand) -> told.add(List.of(from, to)));
                bad(breaker, 1);
                ticker.advance(OPEN_FOR);
                long now = ticker.nanos();

                race.round(side -> breaker.tryAcquire(now) != null);

                assertThat(told)
                        .as("round %d", round)
                        .containsExactly(
                                List.of(CircuitState.CLOSED, CircuitState.OPEN),
                                List.of(CircuitState.OPEN, CircuitState.HALF_OPEN));
                told.clear();

                race.round(side -> {
                    if (side % 2 == 0) {
                        breaker.forceOpen("any", now);
                    } else {
                        breaker.forceClosed("any", now);
                    }
                    return side;
                });

                List<CircuitState> left = new ArrayList<>(List.of(breaker.state(now)));
                List<CircuitState> reached = new ArrayList<>(List.of(CircuitState.HALF_OPEN));
                told.forEach(move -> {
                    left.add(move.get(0));
                    reached.add(move.get(1));
                });
                assertThat(told).as("round %d", round).hasSize(sides);
                assertThat(left).as("round %d", round).containsExactlyInAnyOrderElementsOf(reached);
            }
        }
    }

    /** As many breakers as a race has rounds. */
    private static List<CircuitBreaker> breakers(int rounds, Supplier<CircuitBreaker> breaker) {
        List<CircuitBreaker> breakers = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            breakers.add(breaker.get());
        }
        return breakers;
    }

    @Test
    void bad_calls_that_end_together_open_it_once() throws Exception {
        List<CircuitBreaker> breakers = breakers(20_000, () -> breaker(1, 100));
        List<Permit> permits = breakers.stream().map(this::acquire).toList();
        long now = ticker.nanos();
        breakers.forEach(breaker -> bad(breaker, 8)); // one of the next two will be the tenth
        try (Race race = new Race(2)) {
            race.inStep(breakers.size(), (side, round) -> {
                permits.get(round).settle(FAILED, now, now);
                permits.get(round).settle(FAILED, now, now);
            });
        }

        assertThat(breakers).allMatch(breaker -> breaker.opened() == 1);
    }

    @Test
    void callers_who_see_the_open_time_over_together_share_the_probes() throws Exception {
        List<CircuitBreaker> breakers = breakers(20_000, () -> openBreaker(1, 100));
        ticker.advance(OPEN_FOR);
        long now = ticker.nanos();
        boolean[][] granted = new boolean[2][breakers.size()];
        try (Race race = new Race(2)) {
            race.inStep(
                    breakers.size(),
                    (side, round) -> granted[side][round] = breakers.get(round).tryAcquire(now) != null);
        }

        for (int round = 0; round < breakers.size(); round++) {
            assertThat(granted[0][round] ^ granted[1][round])
                    .as("exactly one in round %d", round)
                    .isTrue();
        }
    }

    @Test
    void probes_that_end_together_are_all_counted() throws Exception {
        List<CircuitBreaker> breakers = breakers(20_000, () -> openBreaker(2, 100));
        ticker.advance(OPEN_FOR);
        long now = ticker.nanos();
        try (Race race = new Race(2)) {
            race.inStep(
                    breakers.size(),
                    (side, round) -> acquire(breakers.get(round)).settle(GOOD, now, now));
        }

        assertThat(breakers).allMatch(breaker -> breaker.state(now) == CircuitState.CLOSED);
    }

    @Test
    void of_two_reports_of_one_probe_exactly_one_counts() throws Exception {
        List<CircuitBreaker> breakers = breakers(20_000, () -> openBreaker(1, 100));
        ticker.advance(OPEN_FOR);
        long now = ticker.nanos();
        List<Permit> probes = breakers.stream().map(this::acquire).toList();
        try (Race race = new Race(2)) {
            race.inStep(
                    breakers.size(), (side, round) -> probes.get(round).settle(side == 0 ? GOOD : FAILED, now, now));
        }

        assertThat(breakers).allMatch(breaker -> hasMovedOnce(breaker, now));
    }

    @Test
    void of_the_report_and_the_expiry_of_a_probe_exactly_one_counts() throws Exception {
        List<CircuitBreaker> breakers = breakers(20_000, () -> openBreaker(1, 100));
        ticker.advance(OPEN_FOR);
        List<Permit> probes = breakers.stream().map(this::acquire).toList();
        long lastMoment = ticker.nanos() + LEASE.toNanos();
        try (Race race = new Race(2)) {
            race.inStep(breakers.size(), (side, round) -> {
                if (side == 0) {
                    probes.get(round).settle(GOOD, lastMoment, lastMoment);
                } else {
                    breakers.get(round).state(lastMoment + 1);
                }
            });
        }

        assertThat(breakers).allMatch(breaker -> hasMovedOnce(breaker, lastMoment + 1));
    }

    /** Whether one probe has decided: it is closed and has opened once, or it has opened again. */
    private static boolean hasMovedOnce(CircuitBreaker breaker, long now) {
        return breaker.state(now) == CircuitState.CLOSED ? breaker.opened() == 1 : breaker.opened() == 2;
    }

    @DisplayName("B20: whatever happened before, a healed dependency is found well within two probe intervals")
    @Test
    void after_any_storm_it_closes_soon_once_the_dependency_is_well() throws Exception {
        try (Race race = new Race(8)) {
            for (int seed = 0; seed < 1_000; seed++) {
                CircuitBreaker breaker = breaker(5, 80);
                long stormSeed = seed;
                race.round(side -> {
                    storm(breaker, new Random(stormSeed * 31 + side), side == 0);
                    return side;
                });

                // Two of the longest open times, and a lease for probes that the storm has lost.
                int tenths = 2 * 300 + 10 * (int) LEASE.toSeconds();
                for (int tenth = 0; tenth < tenths; tenth++) {
                    ticker.advance(Duration.ofMillis(100));
                    Permit permit = breaker.tryAcquire(ticker.nanos());
                    if (permit != null) {
                        permit.settle(GOOD, ticker.nanos(), ticker.nanos());
                    }
                }

                assertThat(breaker.state(ticker.nanos())).as("seed %d", seed).isEqualTo(CircuitState.CLOSED);
                assertThat(breaker.explain(ticker.nanos()).opensFor()).isZero();
                assertThat(breaker.tryAcquire(ticker.nanos())).isNotNull();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Verdict.class,
            names = {"FAILED", "SLOW"})
    void of_two_lanes_with_the_last_bad_calls_one_sees_both(Verdict bad) throws Exception {
        int rounds = 100_000;
        List<CircuitBreaker> raced = new ArrayList<>();
        long now = ticker.nanos();
        for (int round = 0; round < rounds; round++) {
            CircuitBreaker breaker = breaker(1, 100);
            for (int call = 0; call < 8; call++) {
                acquire(breaker).settle(bad, now, now);
            }
            raced.add(breaker);
        }
        try (Race race = new Race(2)) {
            List<Lane> lanes = race.round(side -> Objects.requireNonNull(Lane.enter()));
            try {
                race.inStep(rounds, (side, round) -> {
                    Lane lane = lanes.get(side);
                    Permit permit = Objects.requireNonNull(raced.get(round).tryAcquire(lane, now));
                    permit.settle(lane, bad, now, now);
                });
            } finally {
                lanes.forEach(lane -> lane.holder = null);
            }
        }

        assertThat(raced.stream()
                        .filter(breaker -> breaker.state(now) != CircuitState.OPEN)
                        .count())
                .as("breakers that nobody opened")
                .isZero();
    }

    /** Calls of which half fail and some never report, while time goes on. */
    private void storm(CircuitBreaker breaker, Random random, boolean movesTime) {
        for (int call = 0; call < 60; call++) {
            long now = ticker.nanos();
            Permit permit = breaker.tryAcquire(now);
            if (permit != null && random.nextInt(20) > 0) {
                permit.settle(Verdict.values()[random.nextInt(4)], now, ticker.nanos());
            }
            if (random.nextInt(4) == 0) {
                breaker.state(ticker.nanos());
            }
            if (movesTime && random.nextInt(3) == 0) {
                ticker.advance(Duration.ofMillis(random.nextInt(2_500)));
            }
        }
    }
}
