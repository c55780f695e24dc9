package io.degradable.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.settings.BreakerSettings;
import io.degradable.state.CircuitWindow;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TripRuleTest {

    private static String judge(BreakerSettings settings, CircuitWindow figures) {
        Why why = TripRule.judge(settings, figures);
        return why == null ? "-" : why.rule().name();
    }

    @DisplayName("B24: failed and slow calls are one share, unless that rule is off")
    @ParameterizedTest
    @CsvSource({
        // rates: both, failed, slow; calls: good, failed, slow, slow in flight
        "50, 0, 0,   10, 9, 0, 0,   -", // volume
        "50, 0, 0,   10, 10, 0, 0,  BAD_RATE",
        "50, 0, 0,   10, 0, 10, 0,  BAD_RATE",
        "50, 0, 0,   10, 5, 5, 0,   BAD_RATE",
        "50, 0, 0,   10, 4, 3, 3,   BAD_RATE",
        "50, 0, 0,   10, 0, 0, 10,  BAD_RATE",
        "50, 0, 0,   11, 4, 3, 3,   -",
        "50, 0, 0,   0, 0, 0, 19,   -", // volume
        "50, 0, 0,   0, 0, 0, 20,   BAD_RATE",
        "0, 50, 50,  10, 5, 5, 0,   -", // the separate shares see half of it each
        "0, 50, 50,  10, 10, 0, 0,  FAILURE_RATE",
        "0, 50, 50,  10, 0, 10, 0,  SLOW_RATE",
        "0, 50, 50,  10, 0, 5, 5,   SLOW_RATE",
        "0, 50, 0,   0, 0, 20, 20,  -",
        "0, 0, 50,   0, 20, 0, 0,   -",
        "0, 0, 50,   1, 20, 0, 20,  -",
        "50, 20, 0,  16, 4, 0, 0,   FAILURE_RATE", // beside the combined one
        "50, 20, 0,  16, 3, 1, 0,   -",
        "50, 0, 20,  16, 0, 3, 1,   SLOW_RATE",
        "100, 0, 0,  1, 99, 0, 0,   -",
        "100, 0, 0,  0, 20, 0, 0,   BAD_RATE",
        "1, 0, 0,    99, 1, 0, 0,   BAD_RATE",
        "1, 0, 0,    100, 1, 0, 0,  -",
    })
    void shares(
            int both, int failedRate, int slowRate, long good, long failed, long slow, long inFlight, String expected) {
        BreakerSettings settings =
                Breakers.with().rates(both, failedRate, slowRate).settings();

        assertThat(judge(settings, new CircuitWindow(good, failed, slow, inFlight, failed)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"3, 2, -", "3, 3, FAILURES_IN_ROW", "3, 4, FAILURES_IN_ROW", "1, 1, FAILURES_IN_ROW", "0, 19, -"})
    void failures_in_a_row_need_no_volume(int limit, long inRow, String expected) {
        BreakerSettings settings = Breakers.with().inRow(limit).settings();

        assertThat(judge(settings, new CircuitWindow(0, inRow, 0, 0, inRow))).isEqualTo(expected);
    }

    @Test
    void figures_of_any_size_do_not_overflow() {
        long many = 1L << 52;

        assertThat(judge(Breakers.with().settings(), new CircuitWindow(many, many, 0, 0, 0)))
                .isEqualTo("BAD_RATE");
        assertThat(judge(Breakers.with().settings(), new CircuitWindow(many + 1, many, 0, 0, 0)))
                .isEqualTo("-");
    }

    @DisplayName("B150: the reason is in words, with its figures")
    @Test
    void words() {
        CircuitWindow figures = new CircuitWindow(8, 7, 3, 2, 7);

        assertThat(TripRule.judge(Breakers.with().settings(), figures))
                .extracting(Why::text)
                .isEqualTo("12 of 20 calls failed or slow in 10 s, 2 of them in flight: 60 % >= 50 %");
        assertThat(TripRule.judge(Breakers.with().rates(0, 30, 0).lastCalls(50).settings(), figures))
                .extracting(Why::text)
                .isEqualTo("7 of 20 calls failed of the last 50, 2 of them in flight: 35 % >= 30 %");
        assertThat(TripRule.judge(Breakers.with().rates(0, 0, 25).settings(), new CircuitWindow(8, 7, 5, 0, 0)))
                .extracting(Why::text)
                .isEqualTo("5 of 20 calls slow in 10 s: 25 % >= 25 %");
        assertThat(TripRule.judge(Breakers.with().inRow(5).settings(), figures))
                .extracting(Why::text)
                .isEqualTo("7 calls failed in a row >= 5");
    }
}
