package io.degradable.internal.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Race;
import io.degradable.time.Spans;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class InFlightTest {

    private static final long MILLI = 1_000_000;
    private static final long START = Long.MAX_VALUE - 2_000 * MILLI; // readings overflow on the way
    private static final long LIMIT = 1_000 * MILLI;
    private static final Duration MEMORY = Duration.ofSeconds(9); // a stretch is half a second

    private final InFlight inFlight = new InFlight(LIMIT, MEMORY, START);

    private static long at(long millis) {
        return START + millis * MILLI;
    }

    @Test
    void a_call_is_overdue_when_its_whole_stretch_is_older_than_the_limit_and_never_before() {
        inFlight.enter(at(0));
        inFlight.enter(at(499));
        inFlight.enter(at(500));

        assertThat(inFlight.overdue(at(1_000))).isZero();
        assertThat(inFlight.overdue(at(1_499))).isZero();
        assertThat(inFlight.overdue(at(1_500))).isEqualTo(2);
        assertThat(inFlight.overdue(at(2_000))).isEqualTo(3);
    }

    @Test
    void who_leaves_is_not_overdue() {
        inFlight.enter(at(0));
        inFlight.enter(at(0));
        inFlight.leave(at(0));
        assertThat(inFlight.overdue(at(3_000))).isEqualTo(1);

        inFlight.leave(at(0));
        assertThat(inFlight.overdue(at(3_000))).isZero();
    }

    @Test
    void an_overdue_call_is_forgotten_after_the_memory_and_may_leave_all_the_same() {
        inFlight.enter(at(0));
        assertThat(inFlight.overdue(at(9_999))).isEqualTo(1);
        assertThat(inFlight.overdue(at(10_000))).isZero();

        inFlight.enter(at(10_000));
        inFlight.leave(at(0));

        assertThat(inFlight.overdue(at(12_000))).isEqualTo(1);
    }

    @Test
    void the_first_of_each_stretch_is_told_and_nobody_else() {
        assertThat(inFlight.enter(at(0))).isTrue();
        assertThat(inFlight.enter(at(499))).isFalse();
        assertThat(inFlight.enter(at(500))).isTrue();
        inFlight.leave(at(499));
        assertThat(inFlight.enter(at(999))).isFalse();
        assertThat(inFlight.enter(at(100_000))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {Spans.FOREVER / 4, Spans.FOREVER, Long.MAX_VALUE})
    void without_a_limit_nobody_is_overdue(long limit) {
        InFlight unlimited = new InFlight(limit, MEMORY, START);

        assertThat(unlimited.enter(at(0))).isFalse();
        assertThat(unlimited.overdue(at(1_000_000))).isZero();
        unlimited.leave(at(0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 1_000_000_000L, Spans.FOREVER / 4 - 1})
    void no_limit_and_no_memory_overflow(long limit) {
        for (Duration memory : new Duration[] {Duration.ofNanos(1), MEMORY, Duration.ofNanos(Long.MAX_VALUE)}) {
            InFlight wide = new InFlight(limit, memory, START);
            wide.enter(START);

            assertThat(wide.overdue(START)).isZero();
        }
    }

    @Test
    void of_callers_that_race_into_a_stretch_one_is_told_and_all_are_counted() throws Exception {
        try (Race race = new Race(4)) {
            for (int round = 0; round < 5_000; round++) {
                InFlight raced = new InFlight(LIMIT, MEMORY, START);

                assertThat(race.round(side -> raced.enter(at(100))))
                        .as("round %d", round)
                        .containsOnlyOnce(true);
                assertThat(raced.overdue(at(2_000))).as("round %d", round).isEqualTo(4);
                race.round(side -> {
                    raced.leave(at(100));
                    return side;
                });

                assertThat(raced.overdue(at(2_000))).as("round %d", round).isZero();
            }
        }
    }
}
