package io.degradable.internal.guard;

import static io.degradable.internal.guard.Bench.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.internal.window.LatencyHistogram;
import io.degradable.model.BadRequestException;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GuardMeterTest {

    private static final Duration TEN_MILLIS = Duration.ofMillis(10);
    private static final Duration THIRTY_MILLIS = Duration.ofMillis(30);

    private final Bench bench = new Bench();
    private final Guard guard = bench.onCaller();
    private final GuardMeter meter = guard.meter();

    @AfterEach
    void close() {
        bench.close();
    }

    private void answers(Duration span) {
        bench.call(guard, bench.taking(span, () -> "live"));
    }

    private void fails(Duration span) {
        bench.call(guard, bench.taking(span, () -> {
            throw new IOException("down");
        }));
    }

    private void isRefused() {
        guard.bulkhead().tryEnter();
        bench.call(guard, Bench.body(() -> "live"));
        guard.bulkhead().exit();
    }

    private static int bucket(Duration span) {
        return LatencyHistogram.bucketOf(span.toNanos());
    }

    @Test
    void attempts_are_counted_by_reason_and_by_outcome() {
        answers(TEN_MILLIS);
        answers(TEN_MILLIS);
        fails(TEN_MILLIS);
        fails(TIMEOUT.plusNanos(1));
        bench.call(guard, Bench.failing(new AssertionError()));
        isRefused();

        assertThat(meter.ended(StageReason.ANSWER)).isEqualTo(2);
        assertThat(meter.ended(StageReason.EXCEPTION)).isEqualTo(1);
        assertThat(meter.ended(StageReason.TIMEOUT)).isEqualTo(1);
        assertThat(meter.ended(StageReason.FATAL)).isEqualTo(1);
        assertThat(meter.ended(StageReason.SEMAPHORE_FULL)).isEqualTo(1);
        assertThat(meter.ended(StageOutcome.ANSWERED)).isEqualTo(2);
        assertThat(meter.ended(StageOutcome.FAILED)).isEqualTo(2);
        assertThat(meter.ended(StageOutcome.TIMED_OUT)).isEqualTo(1);
        assertThat(meter.ended(StageOutcome.REFUSED)).isEqualTo(1);
        assertThat(meter.ended(StageOutcome.MISSED)).isZero();
    }

    @Test
    void time_is_summed_by_outcome_and_a_refusal_takes_none() {
        answers(TEN_MILLIS);
        answers(THIRTY_MILLIS);
        fails(TEN_MILLIS);
        isRefused();

        assertThat(meter.nanos(StageOutcome.ANSWERED))
                .isEqualTo(Duration.ofMillis(40).toNanos());
        assertThat(meter.nanos(StageOutcome.FAILED)).isEqualTo(TEN_MILLIS.toNanos());
        assertThat(meter.nanos(StageOutcome.REFUSED)).isZero();
        assertThat(Arrays.stream(meter.histogram()).sum())
                .as("refusals are in no bucket")
                .isEqualTo(3);
        assertThat(meter.histogram()[bucket(TEN_MILLIS)]).isEqualTo(2);
        assertThat(meter.histogram()[bucket(THIRTY_MILLIS)]).isEqualTo(1);
    }

    @Test
    void the_recent_figures_look_back_ten_seconds() {
        answers(TEN_MILLIS);
        fails(TEN_MILLIS);
        isRefused();
        bench.ticker.advance(Duration.ofSeconds(9));
        answers(THIRTY_MILLIS);

        GuardMeter.Recent all = meter.recent(bench.ticker.nanos());
        assertThat(all.ended(StageReason.SEMAPHORE_FULL)).isEqualTo(1);
        assertThat(all.answered()).isEqualTo(2);
        assertThat(all.measured()).isEqualTo(3);
        assertThat(all.meanAnswerNanos()).isEqualTo(Duration.ofMillis(20).toNanos());

        bench.ticker.advance(Duration.ofSeconds(1));
        GuardMeter.Recent later = meter.recent(bench.ticker.nanos());
        assertThat(later.ended(StageReason.SEMAPHORE_FULL)).isZero();
        assertThat(later.measured()).isEqualTo(1);
        assertThat(later.meanAnswerNanos()).isEqualTo(THIRTY_MILLIS.toNanos());

        bench.ticker.advance(GuardMeter.WINDOW);
        GuardMeter.Recent none = meter.recent(bench.ticker.nanos());
        assertThat(none.measured()).isZero();
        assertThat(none.meanAnswerNanos()).isZero();
        assertThat(meter.ended(StageReason.ANSWER))
                .as("since the start nothing is forgotten")
                .isEqualTo(2);
    }

    @Test
    void measured_is_what_says_something_of_the_dependency() {
        answers(TEN_MILLIS);
        fails(TEN_MILLIS);
        fails(TIMEOUT.plusNanos(1));
        bench.call(guard, Bench.failing(new AssertionError()));
        bench.call(guard, Bench.body(() -> null));
        bench.call(guard, Bench.failing(new BadRequestException("no such id")));
        isRefused();

        assertThat(meter.recent(bench.ticker.nanos()).measured()).isEqualTo(4);
    }

    @Test
    void the_recent_histogram_looks_back_a_minute() {
        answers(TEN_MILLIS);
        bench.ticker.advance(Duration.ofSeconds(50));
        answers(THIRTY_MILLIS);

        assertThat(Arrays.stream(meter.recentHistogram(bench.ticker.nanos())).sum())
                .isEqualTo(2);
        bench.ticker.advance(Duration.ofSeconds(10));
        long[] later = meter.recentHistogram(bench.ticker.nanos());
        assertThat(Arrays.stream(later).sum()).isEqualTo(1);
        assertThat(later[bucket(THIRTY_MILLIS)]).isEqualTo(1);
        assertThat(Arrays.stream(meter.histogram()).sum()).isEqualTo(2);
    }
}
