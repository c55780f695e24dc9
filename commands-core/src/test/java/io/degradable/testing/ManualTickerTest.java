package io.degradable.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class ManualTickerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker(1_000, 5_000);

    /** Waits as callers do: again, until the moment is reached. Returns the reading it found then. */
    private Caller<Long> waiter(Duration span) {
        long until = ticker.nanos() + span.toNanos();
        return Caller.calls(() -> {
            while (until - ticker.nanos() > 0) {
                ticker.await(this, until);
            }
            return ticker.nanos();
        });
    }

    @Test
    void both_clocks_stand_still_until_they_are_moved() {
        assertThat(ticker.nanos()).isEqualTo(1_000);
        assertThat(ticker.epochMillis()).isEqualTo(5_000);

        ticker.advance(Duration.ofMillis(7));

        assertThat(ticker.nanos()).isEqualTo(7_001_000);
        assertThat(ticker.epochMillis()).isEqualTo(5_007);
    }

    @Test
    void parts_of_a_millisecond_add_up_on_the_wall_clock() {
        for (int i = 0; i < 10_000; i++) {
            ticker.advance(Duration.ofNanos(500_000));
        }

        assertThat(ticker.epochMillis()).isEqualTo(10_000);
    }

    @Test
    void tasks_that_are_due_run_in_the_order_of_their_moments() {
        List<String> ran = new ArrayList<>();
        Timer timer = ticker.newTimer("test");
        var unused = timer.schedule(() -> ran.add("later"), ticker.nanos() + 150);
        var unused2 = timer.schedule(() -> ran.add("earlier"), ticker.nanos() + 50);

        ticker.advance(Duration.ofNanos(200));

        assertThat(ran).containsExactly("earlier", "later");
    }

    @Test
    void the_wall_clock_steps_alone_and_also_back() {
        ticker.stepWallClock(Duration.ofSeconds(-4));

        assertThat(ticker.nanos()).isEqualTo(1_000);
        assertThat(ticker.epochMillis()).isEqualTo(1_000);
    }

    @Test
    void the_monotonic_clock_never_goes_back() {
        assertThatThrownBy(() -> ticker.advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("span must not be negative, was PT-0.000000001S");
    }

    @Test
    void its_readings_overflow_within_the_first_minute_of_a_test() {
        ManualTicker unset = new ManualTicker();
        long before = unset.nanos();

        unset.advance(Duration.ofSeconds(61));

        assertThat(unset.nanos()).isLessThan(before);
        assertThat(unset.nanos() - before).isEqualTo(Duration.ofSeconds(61).toNanos());
    }

    @Test
    void each_waiter_wakes_when_its_own_moment_is_reached() throws InterruptedException {
        Caller<Long> first = waiter(SECOND);
        Caller<Long> second = waiter(SECOND.multipliedBy(2));
        ticker.untilWaiting(2);

        ticker.advance(SECOND);
        assertThat(first.result()).isEqualTo(1_000_001_000);
        ticker.advance(SECOND);

        assertThat(second.result()).isEqualTo(2_000_001_000);
    }

    @Test
    void whoever_is_woken_does_not_count_as_waiting_any_more() throws InterruptedException {
        Caller<Long> first = waiter(SECOND);
        ticker.untilWaiting(1);
        Caller<Long> next = Caller.calls(() -> {
            long woken = first.result();
            ticker.await(this, woken + SECOND.toNanos());
            return woken;
        });

        synchronized (ticker) { // the first cannot take note of its wake-up before the second is waited for
            ticker.advance(SECOND);
            ticker.untilWaiting(1);
        }

        assertThat(first.isDone()).isTrue();
        ticker.advance(SECOND);
        assertThat(next.result()).isEqualTo(1_000_001_000);
    }

    @Test
    void a_moment_that_is_over_is_not_waited_for() {
        ticker.await(this, ticker.nanos());
        ticker.await(this, ticker.nanos() - 1);

        assertThat(ticker.nanos()).isEqualTo(1_000);
    }

    @Test
    void a_wait_across_the_overflow_ends_at_its_moment() throws InterruptedException {
        ManualTicker late = new ManualTicker(Long.MAX_VALUE - 10, 0);
        long until = late.nanos() + 20;
        Caller<Long> waiter = Caller.calls(() -> {
            late.await(this, until);
            return late.nanos();
        });
        late.untilWaiting(1);

        late.advance(Duration.ofNanos(20));

        assertThat(waiter.result()).isEqualTo(Long.MIN_VALUE + 9);
    }

    @Test
    void a_waiter_can_be_woken_before_its_moment() throws InterruptedException {
        Thread[] thread = new Thread[1];
        Caller<Long> waiter = Caller.calls(() -> {
            thread[0] = Thread.currentThread();
            ticker.await(this, ticker.nanos() + SECOND.toNanos());
            return ticker.nanos();
        });
        ticker.untilWaiting(1);

        LockSupport.unpark(thread[0]);

        assertThat(waiter.result()).isEqualTo(1_000);
    }

    @Test
    void an_interrupt_wakes_a_waiter_and_stays_set() throws InterruptedException {
        Caller<Boolean> waiter = Caller.calls(() -> {
            ticker.await(this, ticker.nanos() + SECOND.toNanos());
            return Thread.currentThread().isInterrupted();
        });
        ticker.untilWaiting(1);

        waiter.interrupt();

        assertThat(waiter.result()).isTrue();
    }

    @Test
    void readings_of_the_monotonic_clock_are_counted() {
        ticker.nanos();
        ticker.nanos();
        ticker.epochMillis();

        assertThat(ticker.readings()).isEqualTo(2);
    }
}
