package io.degradable.internal.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
final class QuotaTest {

    private static final Duration NANO = Duration.ofNanos(1);

    private final ManualTicker ticker = new ManualTicker();

    private Quota quota(double perSecond) {
        return new Quota(perSecond, ticker.nanos());
    }

    private int takes(Quota quota, int attempts) {
        int taken = 0;
        for (int attempt = 0; attempt < attempts; attempt++) {
            taken += quota.tryTake(ticker.nanos()) ? 1 : 0;
        }
        return taken;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 3", "7, 7", "10, 10", "1000, 1000", "1.5, 1", "0.5, 1", "0.001, 1", "1E9, 2000"})
    void at_rest_a_seconds_worth_comes_at_once(double perSecond, int taken) {
        assertThat(takes(quota(perSecond), 2_000)).isEqualTo(taken);
    }

    @Test
    void after_that_one_comes_each_interval() {
        Quota quota = quota(10);
        assertThat(takes(quota, 11)).isEqualTo(10);

        for (int interval = 0; interval < 50; interval++) {
            ticker.advance(Duration.ofMillis(100).minus(NANO));
            assertThat(takes(quota, 1))
                    .as("before interval %d is over", interval)
                    .isZero();
            ticker.advance(NANO);
            assertThat(takes(quota, 2)).as("at its end").isEqualTo(1);
        }
    }

    @Test
    void a_long_rest_saves_up_no_more_than_a_seconds_worth() {
        Quota quota = quota(10);
        takes(quota, 10);

        ticker.advance(Duration.ofMillis(300));
        assertThat(takes(quota, 10)).isEqualTo(3);
        ticker.advance(Duration.ofDays(365));
        assertThat(takes(quota, 100)).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"10", "7", "333", "1", "0.25"})
    void over_time_no_more_than_the_quota_comes_through(double perSecond) {
        Quota quota = quota(perSecond);
        int taken = takes(quota, 1_000);

        for (int step = 0; step < 6_000; step++) {
            ticker.advance(Duration.ofMillis(10));
            taken += takes(quota, 5);
        }

        double inAMinute = perSecond * 60 + Math.max(1, perSecond);
        assertThat((double) taken).isBetween(inAMinute - 1, inAMinute + 1);
    }

    @Test
    void below_one_a_second_the_next_comes_when_its_interval_is_over() {
        Quota quota = quota(0.5);
        assertThat(takes(quota, 2)).isEqualTo(1);

        ticker.advance(Duration.ofSeconds(2).minus(NANO));
        assertThat(takes(quota, 1)).isZero();
        ticker.advance(NANO);
        assertThat(takes(quota, 2)).isEqualTo(1);
    }

    @Test
    void what_is_given_back_can_be_taken_again() {
        Quota quota = quota(10);
        takes(quota, 10);

        quota.giveBack();
        quota.giveBack();

        assertThat(takes(quota, 10)).isEqualTo(2);
    }

    @Test
    void giving_back_saves_up_no_more_than_a_seconds_worth() {
        Quota quota = quota(10);
        takes(quota, 1);
        ticker.advance(Duration.ofSeconds(10));

        quota.giveBack();

        assertThat(takes(quota, 100)).isEqualTo(10);
    }

    @Test
    void of_many_who_come_at_once_exactly_the_quota_is_let_through() throws Exception {
        List<Quota> quotas = new ArrayList<>();
        for (int round = 0; round < 50_000; round++) {
            quotas.add(quota(3));
        }
        long now = ticker.nanos();
        int[][] taken = new int[2][quotas.size()];
        try (Race race = new Race(2)) {
            race.inStep(quotas.size(), (side, round) -> {
                for (int attempt = 0; attempt < 3; attempt++) {
                    taken[side][round] += quotas.get(round).tryTake(now) ? 1 : 0;
                }
            });
        }

        for (int round = 0; round < quotas.size(); round++) {
            assertThat(taken[0][round] + taken[1][round]).as("round %d", round).isEqualTo(3);
        }
    }

    @Test
    void what_is_given_back_at_once_is_not_lost() throws Exception {
        List<Quota> quotas = new ArrayList<>();
        for (int round = 0; round < 50_000; round++) {
            Quota quota = quota(3);
            takes(quota, 2);
            quotas.add(quota);
        }
        try (Race race = new Race(2)) {
            race.inStep(quotas.size(), (side, round) -> quotas.get(round).giveBack());
        }

        assertThat(quotas).allMatch(quota -> takes(quota, 4) == 3);
    }
}
