package io.degradable.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.time.Spans;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LookupTest {

    private static final Duration WINDOW = Duration.ofSeconds(60);

    @DisplayName("S1: the age limit is exact and inclusive; absent, stale and from the future are told apart")
    @ParameterizedTest
    @CsvSource({
        "0, FRESH",
        "1, FRESH",
        "59_999_999_999, FRESH",
        "60_000_000_000, FRESH",
        "60_000_000_001, STALE",
        "3_600_000_000_000, STALE",
        "-1, FROM_THE_FUTURE",
        "-60_000_000_000, FROM_THE_FUTURE",
    })
    void an_age_is_judged_to_the_nanosecond(String age, Freshness freshness) {
        long ageNanos = Long.parseLong(age.replace("_", ""));

        for (long now : new long[] {0, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40}) {
            Lookup<String> found = Lookup.of(new Timestamped<>("copy", now - ageNanos), now, WINDOW);

            assertThat(found.freshness()).as("read at %d", now).isEqualTo(freshness);
            assertThat(found.value()).isEqualTo(freshness == Freshness.FRESH ? "copy" : null);
            assertThat(found.ageNanos()).isEqualTo(freshness == Freshness.FRESH ? ageNanos : 0);
        }
    }

    @Test
    void nothing_is_absent_and_neither_stale_nor_from_the_future() {
        Lookup<String> found = Lookup.of(null, 5, WINDOW);

        assertThat(found).isEqualTo(new Lookup<>(Freshness.ABSENT, null, 0));
    }

    @Test
    void a_window_of_zero_serves_what_is_true_at_this_very_moment() {
        assertThat(Lookup.of(new Timestamped<>("copy", 7), 7, Duration.ZERO).freshness())
                .isEqualTo(Freshness.FRESH);
        assertThat(Lookup.of(new Timestamped<>("copy", 7), 8, Duration.ZERO).freshness())
                .isEqualTo(Freshness.STALE);
    }

    @ParameterizedTest
    @ValueSource(longs = {Spans.FOREVER / 1_000_000_000L, Long.MAX_VALUE})
    void a_window_without_an_end_serves_every_age(long seconds) {
        Lookup<String> found = Lookup.of(new Timestamped<>("copy", 0), Spans.FOREVER - 1, Duration.ofSeconds(seconds));

        assertThat(found.ageNanos()).isEqualTo(Spans.FOREVER - 1);
    }
}
