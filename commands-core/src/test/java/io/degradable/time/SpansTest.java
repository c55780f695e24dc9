package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B30: arithmetic on spans never overflows. */
final class SpansTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 999_999_999, 1_000_000_000, -3_600_000_000_000L, Spans.FOREVER})
    void an_ordinary_span_is_its_nanoseconds(long nanos) {
        assertThat(Spans.nanos(Duration.ofNanos(nanos))).isEqualTo(nanos);
    }

    @Test
    void a_span_beyond_146_years_is_cut() {
        assertThat(Spans.nanos(Duration.ofDays(146 * 365))).isLessThan(Spans.FOREVER);
        assertThat(Spans.nanos(Duration.ofDays(147 * 365))).isEqualTo(Spans.FOREVER);
        assertThat(Spans.nanos(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo(Spans.FOREVER);
        assertThat(Spans.nanos(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))).isEqualTo(Spans.FOREVER);
    }

    @Test
    void a_span_before_zero_is_cut_too() {
        assertThat(Spans.nanos(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(-Spans.FOREVER);
        assertThat(Spans.nanos(Duration.ofNanos(-5))).isEqualTo(-5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 10})
    void a_reading_plus_for_ever_is_later_than_the_reading(long reading) {
        long until = reading + Spans.FOREVER;

        assertThat(until - reading).isPositive();
        assertThat(Spans.earlier(reading, until)).isEqualTo(reading);
        assertThat(Spans.earlier(until, reading)).isEqualTo(reading);
    }

    @Test
    void the_earlier_of_two_readings_is_found_across_the_overflow() {
        long before = Long.MAX_VALUE - 5;
        long after = Long.MIN_VALUE + 5;

        assertThat(Spans.earlier(before, after)).isEqualTo(before);
        assertThat(Spans.earlier(after, before)).isEqualTo(before);
        assertThat(Spans.earlier(before, before)).isEqualTo(before);
    }
}
