package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Caller;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class SystemTickerTest {

    private final Ticker ticker = Ticker.system();

    @Test
    void it_reads_the_clocks_of_the_jvm() {
        long nanosBefore = System.nanoTime();
        long millisBefore = System.currentTimeMillis();

        long nanos = ticker.nanos();
        long millis = ticker.epochMillis();

        assertThat(nanos - nanosBefore).isNotNegative();
        assertThat(System.nanoTime() - nanos).isNotNegative();
        assertThat(millis).isBetween(millisBefore, System.currentTimeMillis());
    }

    @Test
    void a_wait_lasts_until_its_moment_and_not_for_ever() {
        long until = ticker.nanos() + 5_000_000;
        int turns = 0;

        while (until - ticker.nanos() > 0) {
            ticker.await(this, until);
            turns++;
        }

        assertThat(turns)
                .as("turns of a loop that hardly ever wakes for no reason")
                .isLessThan(100);
    }

    @Test
    void a_moment_that_is_over_is_not_waited_for() {
        ticker.await(this, ticker.nanos());
        ticker.await(this, ticker.nanos() - Spans.FOREVER);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void an_interrupt_ends_a_wait_and_stays_set() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        Caller<Boolean> waiter = Caller.calls(() -> {
            started.countDown();
            while (!Thread.currentThread().isInterrupted()) {
                ticker.await(this, ticker.nanos() + Spans.FOREVER);
            }
            return Thread.currentThread().isInterrupted();
        });
        started.await();

        waiter.interrupt();

        assertThat(waiter.result()).isTrue();
    }
}
