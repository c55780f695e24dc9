package io.degradable.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.control.Change;
import io.degradable.control.ChangeListener;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ChangeLogTest {

    private final ManualTicker ticker = new ManualTicker();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final List<Long> heard = new ArrayList<>();

    private ChangeLog log(ChangeListener... listeners) {
        return new ChangeLog(ticker, waiting::add, List.of(listeners));
    }

    private static Change add(ChangeLog log) {
        return log.add(Change.Kind.SETTING, "timeout", "1", "2", "archaius", "reload", Optional.empty());
    }

    private void runWaiting() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    private static List<Long> ids(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void the_last_thousand_are_kept_with_ids_from_one() {
        ChangeLog log = log();
        assertThat(log.changes()).isEmpty();
        Change first = add(log);
        assertThat(first.id()).isEqualTo(1);
        assertThat(first.at()).isEqualTo(Instant.ofEpochMilli(ticker.epochMillis()));
        assertThat(log.changes()).containsExactly(first);

        for (int more = 0; more < 1_000; more++) {
            add(log);
        }

        assertThat(log.changes()).extracting(Change::id).isEqualTo(ids(2, 1_001));
    }

    @Test
    void a_listener_hears_aside_and_in_order_and_misses_the_oldest_when_it_is_far_behind() {
        ChangeLog log = log(change -> heard.add(change.id()));
        add(log);
        add(log);
        assertThat(heard).isEmpty();
        assertThat(waiting).hasSize(1);
        assertThat(log.isUnderWay()).isTrue();
        runWaiting();
        assertThat(heard).containsExactly(1L, 2L);
        assertThat(log.isUnderWay()).isFalse();

        for (int more = 0; more < 1_010; more++) {
            add(log);
        }
        runWaiting();

        assertThat(heard.subList(2, heard.size())).isEqualTo(ids(13, 1_012));
        assertThat(log.missed()).isEqualTo(10);
    }

    @Test
    void one_that_throws_is_counted_and_one_that_hangs_holds_up_nobody_else() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ChangeLog log = log(
                change -> {
                    hanging.countDown();
                    uninterrupted(goOn);
                },
                change -> {
                    throw new StackOverflowError("a mistake");
                },
                change -> heard.add(change.id()));
        add(log);
        Runnable first = waiting.remove();
        Caller<Void> stuck = Caller.calls(() -> {
            first.run();
            return null;
        });
        hanging.await();

        add(log);
        runWaiting();

        assertThat(heard).containsExactly(1L, 2L);
        assertThat(log.mistakes()).isEqualTo(2);
        goOn.countDown();
        stuck.result();
        assertThat(log.mistakes()).isEqualTo(2);
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException overdue) {
            throw new AssertionError(overdue);
        }
    }

    @Test
    void without_a_thread_the_next_change_tries_again() {
        boolean[] refuses = {true};
        ChangeLog log = new ChangeLog(
                ticker, work -> !refuses[0] && waiting.add(work), List.of(change -> heard.add(change.id())));
        add(log);
        refuses[0] = false;
        add(log);

        runWaiting();

        assertThat(heard).containsExactly(1L, 2L);
    }

    @Test
    void what_comes_when_the_telling_ends_is_told_once_and_in_order() throws Exception {
        AtomicLong last = new AtomicLong();
        AtomicLong outOfOrder = new AtomicLong();
        AtomicLong turns = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        ChangeLog log = log(change -> {
            if (!last.compareAndSet(change.id() - 1, change.id())) {
                outOfOrder.incrementAndGet();
            }
        });
        Caller<Void> teller = Caller.calls(() -> {
            while (!over.get()) {
                runWaiting();
                turns.incrementAndGet();
            }
            return null;
        });

        int missed = 0;
        try {
            for (long id = 1; id <= 200_000 && missed == 0; id++) {
                add(log);
                long turn = turns.get();
                while (last.get() < id && turns.get() - turn < 3) {
                    Thread.onSpinWait(); // the next one comes right when this one was told of
                }
                missed += last.get() < id ? 1 : 0; // nobody tells of it, and nobody is going to
            }
        } finally {
            over.set(true);
        }
        teller.result();

        assertThat(missed).isZero();
        assertThat(outOfOrder).hasValue(0);
    }

    @Test
    void after_the_close_nobody_is_told() {
        ChangeLog log = log(change -> heard.add(change.id()));
        add(log);
        log.close();
        add(log);

        runWaiting();

        assertThat(heard).isEmpty();
        assertThat(log.isUnderWay()).isFalse();
        assertThat(log.changes()).hasSize(2);
    }
}
