package io.degradable.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LaneTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Lane lane = Objects.requireNonNull(Lane.enter(), "somebody holds the lane of this thread");

    @AfterEach
    void let_go() {
        lane.holder = null;
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void a_thread_has_its_lane_once_at_a_time() {
        assertThat(Lane.enter()).as("a run inside the run").isNull();

        lane.holder = null;

        assertThat(Lane.enter()).isSameAs(lane);
    }

    @Test
    void of_all_threads_that_share_a_lane_one_has_it() throws Exception {
        lane.holder = null;
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        List<Caller<Boolean>> callers = new ArrayList<>();
        for (int thread = 0; thread < 2 * Lane.lanes(); thread++) { // each lane is that of two of them
            callers.add(Caller.calls(() -> {
                for (int round = 0; round < 20_000; round++) {
                    Lane held = Lane.enter();
                    if (held != null) {
                        if (held == lane) {
                            most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                            holders.decrementAndGet();
                        }
                        entered.incrementAndGet();
                        held.holder = null;
                    }
                }
                return true;
            }));
        }
        callers.forEach(Caller::result);

        assertThat(entered.get()).isPositive();
        assertThat(most.get()).isEqualTo(1);
    }

    @Test
    void a_body_has_the_limit_it_began_with_until_it_ends() {
        lane.bodyBegins(ticker, ticker.nanos() + Duration.ofSeconds(2).toNanos());
        Deadline inside = Deadline.current();

        assertThat(inside.remaining()).isEqualTo(Duration.ofSeconds(2));
        assertThat(Deadline.current()).isSameAs(inside);

        assertThat(lane.bodyEnds()).isSameAs(inside);
        assertThat(inside.bodyHasEnded).isTrue();
        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
    }

    @Test
    void a_body_that_does_not_ask_costs_no_deadline() {
        lane.bodyBegins(ticker, ticker.nanos());

        assertThat(lane.bodyEnds()).isNull();
    }

    @Test
    void what_goes_on_inside_the_body_has_a_deadline_of_its_own_and_gives_it_back() {
        lane.bodyBegins(Ticker.system(), System.nanoTime() + Duration.ofHours(1).toNanos());
        Deadline outer = Deadline.current();
        Deadline inner = Deadline.at(ticker, ticker.nanos());

        Deadline before = inner.enter();
        assertThat(before).isSameAs(outer);
        assertThat(Deadline.current()).isSameAs(inner);
        Deadline.restore(before);

        assertThat(Deadline.current()).isSameAs(outer);
        assertThat(lane.bodyEnds()).isSameAs(outer);
    }

    @Test
    void what_a_holder_could_not_clear_at_the_end_of_its_stack_is_gone_for_the_next() {
        lane.bodyBegins(ticker, ticker.nanos());
        Deadline lost = Deadline.current();
        Deadline.at(ticker, ticker.nanos()).enter();
        lane.holder = null; // all there was stack for

        assertThat(Deadline.current()).isSameAs(Deadline.NONE);
        assertThat(Lane.enter()).isSameAs(lane);
        lane.bodyBegins(ticker, ticker.nanos() + 1);

        assertThat(Deadline.current()).isNotSameAs(lost);
        assertThat(Deadline.current().remaining()).isEqualTo(Duration.ofNanos(1));
        lane.bodyEnds();
    }

    @Test
    void a_thread_that_is_inside_a_run_without_a_lane_gets_none() {
        lane.holder = null;
        Deadline before = Deadline.at(ticker, ticker.nanos()).enter();
        try {
            assertThat(Lane.enter()).isNull();
        } finally {
            Deadline.restore(before);
        }

        assertThat(Lane.enter()).isSameAs(lane);
    }
}
