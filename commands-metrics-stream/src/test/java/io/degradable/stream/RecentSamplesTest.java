package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecentSamplesTest {

    private static final long START = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos(); // readings overflow on the way

    private final RecentSamples samples = new RecentSamples(Duration.ofSeconds(10));

    @Test
    void nothing_is_known_before_the_first_sample() {
        assertThat(samples.most()).isZero();
        assertThat(samples.growth()).isZero();
    }

    @Test
    void most_and_growth_look_back_one_window() {
        add(0, 100);
        add(4, 130);
        add(8, 110);
        assertThat(samples.most()).isEqualTo(130);
        assertThat(samples.growth()).isEqualTo(10);

        add(10, 111); // the first is 10 s old, just within
        assertThat(samples.growth()).isEqualTo(11);

        add(15, 112);
        assertThat(samples.most()).isEqualTo(112);
        assertThat(samples.growth()).isEqualTo(2);
    }

    @Test
    void gap_without_ticks_counts_for_nothing() {
        add(0, 100);
        add(3_600, 90_000);

        assertThat(samples.growth()).isZero();
    }

    private void add(int second, long value) {
        samples.add(value, START + Duration.ofSeconds(second).toNanos());
    }
}
