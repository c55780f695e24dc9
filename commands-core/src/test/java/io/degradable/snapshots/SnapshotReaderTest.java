package io.degradable.snapshots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Freshness;
import io.degradable.cache.LocalCache;
import io.degradable.cache.Timestamped;
import io.degradable.template.StaticSnapshot;
import io.degradable.testing.Caller;
import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SnapshotReaderTest {

    private static final Duration EVERY = Duration.ofSeconds(30);

    private final ManualTicker ticker = new ManualTicker();
    private final LinkedBlockingQueue<SnapshotEvent> events = new LinkedBlockingQueue<>();

    @TempDir
    Path directory;

    @Nullable
    private SnapshotReader<Long, String> opened;

    private SnapshotReader<Long, String> open() {
        opened = SnapshotReader.open(Goods.spec(directory), ReaderSettings.defaults(), ticker, events::add);
        return opened;
    }

    @AfterEach
    void close() {
        if (opened != null) {
            opened.close();
        }
    }

    private Path build(long count, String season) throws Exception {
        return Goods.builder(directory, count, season, ticker).build().file();
    }

    /** Lets the reader's own thread look once, and waits until it has. */
    private void letItLook() throws InterruptedException {
        ticker.untilWaiting(1);
        ticker.advance(EVERY);
        ticker.untilWaiting(1);
    }

    private @Nullable SnapshotEvent told() throws InterruptedException {
        return events.poll(20, TimeUnit.SECONDS);
    }

    private static @Nullable String value(StaticSnapshot<Long, String> snapshot, long id) throws Exception {
        StaticSnapshot.Found<String> found = snapshot.find(id);
        return found == null ? null : found.value();
    }

    @Test
    void without_a_file_or_even_a_directory_it_finds_nothing_until_there_is_one() throws Exception {
        Path later = directory.resolve("not/yet");
        try (SnapshotReader<Long, String> reader = SnapshotReader.open(Goods.spec(later), ticker)) {
            assertThat(reader.find(1L)).isNull();
            assertThat(reader.view()).isEqualTo(new StaticSnapshot.View("products", 0, null, -1, 0, 0, 0, 0, null));

            Goods.builder(later, 2, "winter", ticker).build();
            letItLook();

            assertThat(value(reader, 1)).isEqualTo(Goods.product(1, "winter"));
        }
    }

    @DisplayName("D3: a newer version takes the place of the old one while it runs, at the next look")
    @Test
    void a_newer_version_takes_the_place_of_the_old_one() throws Exception {
        build(10, "winter");
        SnapshotReader<Long, String> reader = open();
        ticker.advance(Duration.ofSeconds(10));
        Instant begun = Instant.ofEpochMilli(ticker.epochMillis());
        Path summer = build(12, "summer");

        ticker.untilWaiting(1);
        ticker.advance(Duration.ofSeconds(19)); // 29 s after it was opened
        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "winter"));
        ticker.advance(Duration.ofSeconds(1));
        ticker.untilWaiting(1);

        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "summer"));
        assertThat(reader.view())
                .isEqualTo(new StaticSnapshot.View(
                        "products", 2, begun, Duration.ofSeconds(20).toNanos(), 12, Files.size(summer), 2, 0, null));
        assertThat(told()).isEqualTo(new SnapshotEvent.Taken("products", 1, 10));
        assertThat(told()).isEqualTo(new SnapshotEvent.Taken("products", 2, 12));
    }

    @DisplayName("D3: a bad new version is refused, told once and not read again; the old one stays")
    @Test
    void a_bad_new_version_is_refused_and_the_old_one_stays() throws Exception {
        build(10, "winter");
        SnapshotReader<Long, String> reader = open();
        Path bad = build(10, "summer");
        byte[] bytes = Files.readAllBytes(bad);
        bytes[Head.BYTES + 20] ^= 1;
        Files.write(bad, bytes);

        letItLook();
        String why = bad + " is broken: the checksum of its records is another one";
        assertThat(told()).isEqualTo(new SnapshotEvent.Taken("products", 1, 10));
        assertThat(told()).isEqualTo(new SnapshotEvent.Refused("products", bad, why));
        bytes[Head.BYTES + 20] ^= 1; // whole again, which nobody sees who does not read it
        var modified = Files.getLastModifiedTime(bad);
        Files.write(bad, bytes);
        Files.setLastModifiedTime(bad, modified);
        letItLook();
        assertThat(reader.checkNow()).isFalse();

        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "winter"));
        assertThat(reader.view())
                .extracting(
                        StaticSnapshot.View::version, StaticSnapshot.View::refused, StaticSnapshot.View::lastRefusal)
                .containsExactly(1L, 1L, why);

        build(10, "autumn");
        letItLook();
        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "autumn"));
        assertThat(told()).isEqualTo(new SnapshotEvent.Taken("products", 3, 10));
    }

    @Test
    void a_bad_file_that_was_replaced_is_looked_at_again() throws Exception {
        Path file = build(10, "winter");
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, new byte[2_000]);
        SnapshotReader<Long, String> reader = open();
        assertThat(reader.find(3L)).isNull();

        Files.write(file, whole);
        letItLook();

        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "winter"));
    }

    @Test
    void a_start_with_a_broken_newest_version_takes_the_one_before() throws Exception {
        build(10, "winter");
        Files.write(build(10, "summer"), new byte[] {1, 2, 3});

        assertThat(value(open(), 3)).isEqualTo(Goods.product(3, "winter"));
    }

    @DisplayName(
            "S1: a version from the future is refused, with a skew of the clocks as a setting, until its stamp is over")
    @Test
    void a_version_from_the_future_waits_for_its_time() throws Exception {
        ManualTicker ahead = new ManualTicker(0, ticker.epochMillis() + 45_000);
        Path file = Goods.builder(directory, 10, "winter", ahead).build().file();
        SnapshotReader<Long, String> reader = open();
        assertThat(reader.find(3L)).isNull();
        assertThat(reader.view().lastRefusal()).isEqualTo(file + " is from the future, by 45000 ms");
        try (SnapshotReader<Long, String> patient = SnapshotReader.open(
                Goods.spec(directory),
                ReaderSettings.defaults().clockSkew(Duration.ofSeconds(45)),
                ticker,
                unheard -> {})) {
            assertThat(patient.find(3L)).isEqualTo(new StaticSnapshot.Found<>(Goods.product(3, "winter"), 0));
        }

        letItLook();
        assertThat(reader.find(3L)).isNull();
        letItLook();

        assertThat(reader.find(3L))
                .isEqualTo(new StaticSnapshot.Found<>(
                        Goods.product(3, "winter"), Duration.ofSeconds(15).toNanos()));
        assertThat(reader.view().refused()).isEqualTo(1);
    }

    @Test
    void what_is_in_service_stays_when_its_file_is_deleted() throws Exception {
        build(10, "winter");
        Path newest = build(10, "summer");
        SnapshotReader<Long, String> reader = open();

        Files.delete(newest);
        letItLook();

        assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "summer"));
    }

    @DisplayName("D3: record and age are of one version, also while versions change under the readers")
    @Test
    void value_and_age_of_an_answer_are_of_one_version() throws Exception {
        build(200, "0");
        SnapshotReader<Long, String> reader = open();
        long began = ticker.epochMillis();
        AtomicBoolean done = new AtomicBoolean();
        try (Race race = new Race(3)) {
            // Version n + 1 is of the season n, and begun n seconds later. Time stands still while a round reads.
            List<Long> wrong = race.round(side -> {
                long mistakes = 0;
                if (side == 0) {
                    for (int season = 1; season <= 60; season++) {
                        ManualTicker then = new ManualTicker(0, began - 1_000L * season);
                        Goods.builder(directory, 200, String.valueOf(season), then)
                                .build();
                        mistakes += reader.checkNow() ? 0 : 1;
                    }
                    done.set(true);
                }
                while (!done.get()) {
                    StaticSnapshot.Found<String> found = reader.find((long) side);
                    long season = found == null
                            ? -1
                            : Duration.ofNanos(found.ageNanos()).toSeconds();
                    boolean right = found != null && found.value().equals(Goods.product(side, String.valueOf(season)));
                    mistakes += right ? 0 : 1;
                }
                return mistakes;
            });

            assertThat(wrong).containsOnly(0L);
        }
        assertThat(reader.view().version()).isEqualTo(61);
    }

    @Test
    void what_is_out_of_service_is_let_go_of() throws Exception {
        build(10, "winter");
        SnapshotReader<Long, String> reader = open();
        WeakReference<Object> old = new WeakReference<>(reader.inService());
        assertThat(old.get()).isNotNull();

        build(10, "summer");
        assertThat(reader.checkNow()).isTrue();

        for (int i = 0; i < 100 && old.get() != null; i++) {
            System.gc();
        }
        assertThat(old.get()).isNull();
    }

    @Test
    void a_listener_that_throws_or_hangs_holds_up_no_version() throws Exception {
        build(10, "0");
        CountDownLatch hang = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        try (SnapshotReader<Long, String> reader =
                SnapshotReader.open(Goods.spec(directory), ReaderSettings.defaults(), ticker, event -> {
                    hanging.countDown();
                    try {
                        hang.await();
                    } catch (InterruptedException closing) {
                        Thread.currentThread().interrupt();
                    }
                    throw new AssertionError("a mistake");
                })) {
            hanging.await();

            build(10, "1");
            letItLook();

            assertThat(value(reader, 3)).isEqualTo(Goods.product(3, "1"));
        }
    }

    @DisplayName("Invariant 10: after the close there is no thread, no timer, no open file")
    @Test
    void after_the_close_nothing_is_left() throws Exception {
        build(10, "winter");
        SnapshotReader<Long, String> reader = open();
        ticker.untilWaiting(1);
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("degradable-snapshot-products"))
                .toList();
        assertThat(threads).isNotEmpty().allMatch(Thread::isDaemon);

        reader.close();
        reader.close();

        for (Thread thread : threads) {
            thread.join(5_000);
        }
        assertThat(threads).noneMatch(Thread::isAlive);
        assertThatThrownBy(() -> reader.find(1L))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("snapshot products is closed");
        assertThatThrownBy(reader::checkNow).isInstanceOf(IllegalStateException.class);
    }

    // ---- warming a cache ----

    @DisplayName(
            "S8, invariant 6: a cache is filled at a rate, with copies as old as the snapshot, and keeps what is younger")
    @Test
    void a_cache_is_filled_at_a_rate_with_copies_as_old_as_they_are() throws Exception {
        build(30, "winter");
        ticker.advance(Duration.ofMinutes(4));
        LocalCache<Long, String> cache = new LocalCache<>(CacheSpec.named("products"), ticker);
        cache.put(7L, new Timestamped<>("live", ticker.nanos()));
        SnapshotReader<Long, String> reader = open();
        ticker.untilWaiting(1); // the reader's own thread

        Caller<Long> warming = Caller.calls(() -> reader.warm(cache, 1));
        for (int second = 1; second <= 30; second++) {
            ticker.untilWaiting(2);
            assertThat(cache.size()).as("after %d s", second - 1).isEqualTo(second <= 8 ? second : second - 1);
            ticker.advance(Duration.ofSeconds(1));
        }

        assertThat(warming.result()).isEqualTo(29);
        assertThat(cache.read(7L, Duration.ofHours(1)).value()).isEqualTo("live");
        Duration age = Duration.ofMinutes(4).plusSeconds(30);
        assertThat(cache.read(6L, age).value()).isEqualTo(Goods.product(6, "winter"));
        assertThat(cache.read(6L, age.minusNanos(1)).freshness()).isEqualTo(Freshness.STALE);
        assertThat(cache.droppedPuts()).isEqualTo(1);
    }

    @Test
    void a_cache_of_something_else_is_filled_through_a_function_that_may_leave_out() throws Exception {
        build(10, "winter");
        LocalCache<Long, Integer> cache = new LocalCache<>(CacheSpec.named("lengths"), ticker);

        long stored =
                open().warm(cache, name -> name.contains("\"id\":4") ? null : name.length(), Double.POSITIVE_INFINITY);

        assertThat(stored).isEqualTo(9);
        assertThat(cache.read(4L, Duration.ofHours(1)).freshness()).isEqualTo(Freshness.ABSENT);
        assertThat(cache.read(5L, Duration.ofHours(1)).value())
                .isEqualTo(Goods.product(5, "winter").length());
    }

    @Test
    void a_link_to_itself_hides_no_version() throws Exception {
        build(10, "winter");
        Path link = directory.resolve("products-0000000009.snapshot");
        Files.createSymbolicLink(link, link);

        SnapshotReader<Long, String> reader = open();

        assertThat(reader.view().version()).isEqualTo(1);
        assertThat(reader.view().lastRefusal()).startsWith(link + " cannot be read: ");
        letItLook();
        assertThat(reader.view().refused()).isEqualTo(1);
    }

    @Test
    void an_interrupt_of_who_looks_refuses_no_version() throws Exception {
        build(10, "winter");

        Thread.currentThread().interrupt();
        SnapshotReader<Long, String> reader = open();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(reader.view().refused()).isZero();
        assertThat(reader.checkNow()).isTrue();
    }

    @Test
    void an_event_for_which_there_is_no_thread_is_counted_and_ends_nobody() {
        Teller teller = new Teller(nothing(), events::add); // no thread can be made without a name

        teller.tell(new SnapshotEvent.Taken("products", 1, 1));

        assertThat(teller.mistakes()).isEqualTo(1);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <V> V nothing() {
        return (V) null;
    }
}
