package io.degradable.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.breaker.BreakerBench.Held;
import io.degradable.model.CircuitState;
import io.degradable.state.CircuitView;
import io.degradable.state.CircuitWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random lives of a breaker. {@code -Ddegradable.seed=N} replays one. */
@Timeout(120)
final class BreakerPropertyTest {

    private static final int LIVES = 2_000;

    /** The longest open time, then probes and three shares, at ten calls a second; and as much again for calls that got lost. */
    private static final int TENTHS_TO_HEAL = 2 * (300 + 5 + 400);

    /** What tells one step of a ramp from the next, together with the order in which they come. */
    private record StepKey(CircuitState state, int step, String why) {}

    @DisplayName("B20, B26: no life of a breaker admits more than its share, gets stuck, or counts below nothing")
    @Test
    void random_lives() {
        Long replayed = Long.getLong("degradable.seed");
        long first = replayed == null ? System.nanoTime() : replayed;
        for (long seed = first; seed < first + (replayed == null ? LIVES : 1); seed++) {
            try {
                live(new Random(seed));
            } catch (AssertionError wrong) {
                throw new AssertionError("-Ddegradable.seed=" + seed, wrong);
            }
        }
    }

    private static Breakers anySettings(Random random) {
        Breakers with = Breakers.with().volume(1 + random.nextInt(10));
        if (random.nextBoolean()) {
            with.lastCalls(10 + random.nextInt(20));
        }
        switch (random.nextInt(4)) {
            case 0 -> with.rates(1 + random.nextInt(100), 0, 0);
            case 1 -> with.rates(0, 1 + random.nextInt(100), 1 + random.nextInt(100));
            case 2 -> with.rates(0, 0, 0).inRow(1 + random.nextInt(5));
            default -> with.inRow(1 + random.nextInt(10));
        }
        switch (random.nextInt(3)) {
            case 0 -> with.ramp(20);
            case 1 -> with.ramp(1 + random.nextInt(10), 1 + random.nextInt(40), 50 + random.nextInt(49));
            default -> {}
        }
        return with;
    }

    private static void live(Random random) {
        BreakerBench bench = new BreakerBench(anySettings(random));
        List<Held> held = new ArrayList<>();
        StepKey key = keyOf(bench.view());
        long asked = 0;
        long admitted = 0;
        int illness = random.nextInt(100);

        for (int act = 0; act < 400; act++) {
            int what = random.nextInt(100);
            boolean asks = false;
            boolean through = false;
            if (what < 60) {
                asks = true;
                long now = bench.ticker.nanos();
                Permit permit = bench.breaker.tryAcquire(now);
                through = permit != null;
                if (permit != null) {
                    held.add(new Held(permit, now));
                }
            } else if (what < 85 && !held.isEmpty()) {
                bench.settle(held.remove(random.nextInt(held.size())), anyEnd(random, illness));
            } else if (what < 86 && !held.isEmpty()) {
                held.remove(random.nextInt(held.size())); // lost
            } else if (what == 86) {
                bench.breaker.forceOpen("seed", bench.ticker.nanos());
            } else if (what == 87) {
                bench.breaker.forceClosed("seed", bench.ticker.nanos());
            } else if (what < 90) {
                bench.breaker.release("seed", bench.ticker.nanos());
            } else if (what < 92) {
                illness = random.nextInt(100);
            } else {
                bench.advance(Duration.ofMillis(random.nextInt(2_000)));
            }

            CircuitView view = bench.view();
            StepKey now = keyOf(view);
            if (!now.equals(key)) {
                key = now;
                asked = 0;
                admitted = 0;
            }
            asked += asks ? 1 : 0;
            admitted += through ? 1 : 0;
            check(view, asked, admitted);
        }
        heal(bench);
    }

    private static StepKey keyOf(CircuitView view) {
        return new StepKey(view.state(), view.ramp().step(), view.why());
    }

    private static Verdict anyEnd(Random random, int illness) {
        if (random.nextInt(10) == 0) {
            return Verdict.UNUSED;
        }
        return random.nextInt(100) >= illness ? Verdict.GOOD : random.nextBoolean() ? Verdict.FAILED : Verdict.SLOW;
    }

    private static void check(CircuitView view, long asked, long admitted) {
        CircuitWindow window = view.window();
        assertThat(List.of(
                        window.good(),
                        window.failed(),
                        window.slow(),
                        window.slowInFlight(),
                        window.failuresInRow(),
                        view.ramp().good(),
                        view.ramp().bad(),
                        view.ramp().overdue()))
                .allMatch(figure -> figure >= 0);
        assertThat(view.since()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(view.opensFor()).isBetween(Duration.ZERO, Duration.ofSeconds(30));
        assertThat(view.probes().inFlight()
                        + view.probes().good()
                        + view.probes().bad())
                .isLessThanOrEqualTo(5);
        switch (view.state()) {
            case RAMPING ->
                assertThat(admitted * 100)
                        .as("%d of %d in %s", admitted, asked, view)
                        .isLessThanOrEqualTo(asked * view.ramp().sharePercentage());
            case HALF_OPEN, OPEN, FORCED_OPEN -> {}
            default -> assertThat(admitted).isEqualTo(asked);
        }
    }

    private static void heal(BreakerBench bench) {
        bench.breaker.release("seed", bench.ticker.nanos());
        int tenths = 0;
        while (bench.state() != CircuitState.CLOSED || bench.view().window().bad() > 0) {
            assertThat(tenths++).as("%s", bench.view()).isLessThan(healsWithin(bench));
            bench.advance(Duration.ofMillis(100));
            bench.ask(1, Verdict.GOOD);
        }
    }

    /** A small share of few callers takes its time. */
    private static int healsWithin(BreakerBench bench) {
        int calls = bench.breaker.settings().rampShares().stream()
                .mapToInt(share -> 100 * bench.breaker.settings().rampDecisions() / share + 100)
                .sum();
        return TENTHS_TO_HEAL + 2 * calls;
    }
}
