package io.degradable.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** S1: an age by the wall clock is exact, and no step of the clock makes a copy look younger than it is. */
final class WallClockTest {

    private static final long SECOND = 1_000_000_000;

    private final ManualTicker ticker = new ManualTicker();
    private final WallClock clock = new WallClock(ticker);

    private long age(long stamp) {
        return clock.ageNanos(stamp, ticker.nanos());
    }

    @Test
    void an_age_is_exact_to_the_nanosecond() {
        long stamp = clock.stamp(ticker.nanos());

        ticker.advance(Duration.ofSeconds(60).plusNanos(1));

        assertThat(age(stamp)).isEqualTo(60 * SECOND + 1);
    }

    @Test
    void a_stamp_is_nanoseconds_since_1970() {
        assertThat(clock.stamp(ticker.nanos())).isEqualTo(ticker.epochMillis() * 1_000_000);
    }

    @Test
    void a_clock_set_back_makes_nothing_younger() {
        long stamp = clock.stamp(ticker.nanos());
        ticker.advance(Duration.ofSeconds(50));

        ticker.stepWallClock(Duration.ofSeconds(-40));

        assertThat(age(stamp)).isEqualTo(50 * SECOND);
        assertThat(clock.stamp(ticker.nanos())).as("what is written now").isEqualTo(stamp + 10 * SECOND);
    }

    @Test
    void a_clock_set_forward_makes_what_others_wrote_older_and_what_is_written_no_younger() {
        long stamp = clock.stamp(ticker.nanos());
        ticker.advance(Duration.ofSeconds(10));

        ticker.stepWallClock(Duration.ofSeconds(40));

        assertThat(age(stamp)).isEqualTo(50 * SECOND);
        assertThat(clock.stamp(ticker.nanos())).isEqualTo(stamp + 10 * SECOND);
    }

    @Test
    void a_step_is_forgotten_after_two_hours() {
        clock.stamp(ticker.nanos());
        ticker.stepWallClock(Duration.ofSeconds(-40));

        for (int minute = 0; minute < 59; minute++) {
            ticker.advance(Duration.ofMinutes(1));
            assertThat(age(ticker.epochMillis() * 1_000_000)).isEqualTo(40 * SECOND);
        }
        for (int minute = 0; minute < 62; minute++) {
            ticker.advance(Duration.ofMinutes(1));
            age(0);
        }

        assertThat(age(ticker.epochMillis() * 1_000_000)).isZero();
    }

    @Test
    void a_step_long_ago_that_nobody_looked_at_since_is_forgotten() {
        ticker.stepWallClock(Duration.ofSeconds(-40));

        ticker.advance(Duration.ofHours(3));

        assertThat(age(ticker.epochMillis() * 1_000_000)).isZero();
    }

    @Test
    void a_stamp_that_somebody_made_up_does_not_wrap_around() {
        assertThat(age(Long.MIN_VALUE)).as("long ago").isPositive();
        assertThat(age(Long.MAX_VALUE)).as("long after").isNegative();
    }

    @Test
    void the_least_age_takes_the_other_side_of_a_step() {
        long stamp = clock.stamp(ticker.nanos());
        ticker.advance(Duration.ofSeconds(50));

        ticker.stepWallClock(Duration.ofSeconds(-40));

        assertThat(clock.leastAgeNanos(stamp, ticker.nanos())).isEqualTo(10 * SECOND);
    }
}
