package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.cache.Codec;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SnapshotScheduleTest {

    private final ManualTicker ticker = new ManualTicker();
    private final LinkedBlockingQueue<SnapshotEvent> events = new LinkedBlockingQueue<>();
    private final AtomicInteger runs = new AtomicInteger();

    @TempDir
    Path directory;

    @Nullable
    private SnapshotSchedule started;

    private SnapshotSchedule start(PageSource<Long> source) {
        PageSource<Long> counted = (after, size) -> {
            if (after == null) {
                runs.incrementAndGet();
            }
            return source.page(after, size);
        };
        started = SnapshotSchedule.start(
                SnapshotBuilder.of(Goods.spec(directory), counted, id -> id, id -> Goods.product(id, "winter"))
                        .ticker(ticker),
                ScheduleSettings.hourly(),
                events::add);
        return started;
    }

    @AfterEach
    void close() {
        if (started != null) {
            started.close();
        }
    }

    private SnapshotEvent told() throws InterruptedException {
        SnapshotEvent event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).as("an event").isNotNull();
        return event == null ? new SnapshotEvent.Taken("none", 0, 0) : event;
    }

    private long builtVersion() throws InterruptedException {
        SnapshotEvent event = told();
        assertThat(event).isInstanceOf(SnapshotEvent.Built.class);
        return event instanceof SnapshotEvent.Built built ? built.built().version() : -1;
    }

    private void minutes(int minutes) throws InterruptedException {
        ticker.untilWaiting(1);
        ticker.advance(Duration.ofMinutes(minutes));
        ticker.untilWaiting(1);
    }

    @DisplayName("D3: a snapshot is built at once, and hourly from then on")
    @Test
    void it_builds_at_once_and_hourly_from_then_on() throws Exception {
        Instant begun = Instant.ofEpochMilli(ticker.epochMillis());
        SnapshotSchedule schedule = start(Goods.ids(3));
        assertThat(builtVersion()).isEqualTo(1);

        minutes(59);
        assertThat(runs).hasValue(1);
        minutes(1);
        assertThat(builtVersion()).isEqualTo(2);
        minutes(60);
        assertThat(builtVersion()).isEqualTo(3);

        assertThat(schedule.view())
                .isEqualTo(new SnapshotSchedule.View(
                        "products",
                        Duration.ofHours(1),
                        false,
                        false,
                        3,
                        0,
                        0,
                        0,
                        0,
                        begun.plus(Duration.ofHours(2)),
                        null));
    }

    @Test
    void after_a_restart_the_next_run_is_an_hour_after_the_newest_version() throws Exception {
        Goods.builder(directory, 3, "before", ticker).build();
        ticker.advance(Duration.ofMinutes(40));
        start(Goods.ids(3));

        minutes(19);
        assertThat(runs).hasValue(0);
        minutes(1);

        assertThat(builtVersion()).isEqualTo(2);
    }

    @Test
    void a_version_that_another_instance_published_meanwhile_takes_the_place_of_a_run() throws Exception {
        start(Goods.ids(3));
        assertThat(builtVersion()).isEqualTo(1);
        minutes(50);
        Goods.builder(directory, 4, "another", ticker).build();

        minutes(10);
        minutes(49);
        assertThat(runs).hasValue(1);
        minutes(1);

        assertThat(builtVersion()).isEqualTo(3);
        assertThat(runs).hasValue(2);
    }

    @DisplayName("D3: a run that fails is told and tried again an hour later; none for an hour and a half is an alarm")
    @Test
    void failing_runs_are_told_and_tried_again_and_in_time_are_an_alarm() throws Exception {
        AtomicInteger broken = new AtomicInteger(3);
        SnapshotSchedule schedule = start((after, size) -> {
            if (after == null && broken.getAndDecrement() > 0) {
                throw new IOException("no route");
            }
            return Goods.page(after, size, 3);
        });

        assertThat(told()).isInstanceOf(SnapshotEvent.Failed.class);
        minutes(60);
        assertThat(told())
                .isInstanceOfSatisfying(
                        SnapshotEvent.Failed.class,
                        failed -> assertThat(failed.cause()).hasMessageContaining("the source failed"));
        minutes(29);
        assertThat(schedule.view().missed()).isFalse();
        minutes(1);
        assertThat(told()).isEqualTo(new SnapshotEvent.Missed("products", Duration.ofMinutes(90)));
        assertThat(schedule.view())
                .extracting(SnapshotSchedule.View::missed, SnapshotSchedule.View::alarms, SnapshotSchedule.View::failed)
                .containsExactly(true, 1L, 2L);
        assertThat(schedule.view().lastFailure()).contains("there is no version yet", "no route");

        minutes(30);
        assertThat(told()).isInstanceOf(SnapshotEvent.Failed.class);
        minutes(30);
        assertThat(told()).isEqualTo(new SnapshotEvent.Missed("products", Duration.ofMinutes(150)));
        minutes(30);
        assertThat(builtVersion()).isEqualTo(1);
        assertThat(schedule.view().missed()).isFalse();
        minutes(59);
        assertThat(events).isEmpty();
    }

    @DisplayName("D3: a source that hangs holds up no alarm, never has a second run beside it, and no close")
    @Test
    void a_source_that_hangs_holds_up_no_alarm_and_no_close() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        SnapshotSchedule schedule = start((after, size) -> {
            hanging.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException closing) {
                interrupted.countDown();
                throw closing;
            }
            return List.of();
        });
        hanging.await();

        minutes(90);
        assertThat(told()).isEqualTo(new SnapshotEvent.Missed("products", Duration.ofMinutes(90)));
        minutes(60);
        assertThat(told()).isEqualTo(new SnapshotEvent.Missed("products", Duration.ofMinutes(150)));
        assertThat(runs).hasValue(1);
        assertThat(schedule.view().building()).isTrue();

        schedule.close();
        interrupted.await();
        assertThatNoThreadIsLeft();
    }

    @Test
    void a_source_that_heeds_no_interrupt_delays_the_close_by_a_second_and_publishes_nothing_after_it()
            throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch on = new CountDownLatch(1);
        SnapshotSchedule schedule = start((after, size) -> {
            hanging.countDown();
            boolean waiting = after == null;
            while (waiting) {
                try {
                    on.await();
                    waiting = false;
                } catch (InterruptedException swallowed) {
                    // as careless drivers do
                }
            }
            return Goods.page(after, size, 3);
        });
        hanging.await();
        ticker.untilWaiting(1);

        Caller<Boolean> closing = Caller.calls(() -> {
            schedule.close();
            return true;
        });
        while (!closing.isDone()) {
            ticker.advance(Duration.ofMillis(100));
            Thread.onSpinWait();
        }
        assertThat(closing.result()).isTrue();
        on.countDown();

        assertThatNoThreadIsLeft();
        assertThat(Goods.files(directory)).isEmpty();
        assertThat(events).isEmpty();
    }

    @Test
    void a_run_that_finds_another_instance_building_is_no_failure() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch on = new CountDownLatch(1);
        PageSource<Long> slow = (after, size) -> {
            begun.countDown();
            on.await();
            return Goods.page(after, size, 3);
        };
        Caller<BuiltSnapshot> other = Caller.calls(
                () -> SnapshotBuilder.of(Goods.spec(directory), slow, id -> id, id -> Goods.product(id, "another"))
                        .ticker(ticker)
                        .build());
        begun.await();
        SnapshotSchedule schedule = start(Goods.ids(3));
        ticker.untilWaiting(1);
        while (schedule.view().busy() == 0) {
            Thread.onSpinWait();
        }
        on.countDown();
        assertThat(other.result().version()).isEqualTo(1);

        minutes(60); // the other one's was begun at the same moment

        assertThat(builtVersion()).isEqualTo(2);
        assertThat(schedule.view().failed()).isZero();
    }

    private static void assertThatNoThreadIsLeft() throws InterruptedException {
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("degradable-snapshot-products-"))
                .toList();
        for (Thread thread : threads) {
            thread.join(5_000);
        }
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    @Test
    void a_fresh_version_that_the_readers_of_today_refuse_for_its_codec_takes_the_place_of_no_run() throws Exception {
        Codec<String> yesterdays = new Codec<>() {
            @Override
            public String name() {
                return "yesterday's";
            }

            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                return new String(bytes, StandardCharsets.UTF_8);
            }
        };
        SnapshotBuilder.of(
                        new SnapshotSpec<>("products", directory, Codec.longs(), yesterdays),
                        Goods.ids(3),
                        id -> id,
                        id -> Goods.product(id, "yesterday"))
                .ticker(ticker)
                .build();

        start(Goods.ids(3));

        assertThat(builtVersion()).isEqualTo(2);
    }

    @Test
    void an_error_without_words_is_called_by_its_name() throws Exception {
        SnapshotSchedule schedule = start((after, size) -> {
            throw new StackOverflowError();
        });

        assertThat(told()).isInstanceOf(SnapshotEvent.Failed.class);
        assertThat(schedule.view().lastFailure()).isEqualTo("java.lang.StackOverflowError");
    }
}
