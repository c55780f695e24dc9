package io.degradable.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.Commands;
import io.degradable.testing.ManualTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** H5, S1: what clocks, stores, codecs and keys can do to a tiered cache. */
@Timeout(30)
final class StoreTroubleTest {

    private static final CacheSpec<String, String> SPEC = CacheSpec.<String, String>named("copies")
            .stored(Codec.strings(), Codec.strings())
            .nearFor(Duration.ofSeconds(10));
    private static final Duration WINDOW = Duration.ofSeconds(60);

    private final ManualTicker ticker = new ManualTicker();
    private final StoreInMemory store = new StoreInMemory();
    private final Queue<Runnable> aside = new ArrayDeque<>();

    private <K> TieredCache<K, String> over(RemoteCache<K, String> remote, Predicate<Runnable> runs) {
        CacheSpec<K, String> spec = CacheSpec.<K, String>named("copies")
                .stored(noCodec(), Codec.strings())
                .nearFor(Duration.ofSeconds(10));
        writeBack = new WriteBack(3, ticker, runs, () -> false, () -> {});
        return new TieredCache<>(spec, remote, writeBack, ticker);
    }

    private static <K> Codec<K> noCodec() {
        return new Codec<>() {
            @Override
            public String name() {
                return "none";
            }

            @Override
            public byte[] encode(K value) {
                return new byte[0];
            }

            @Override
            public K decode(byte[] bytes) {
                throw new IllegalArgumentException("keys are not read");
            }
        };
    }

    private WriteBack writeBack = new WriteBack(3, ticker, aside::add, () -> false, () -> {});

    private void write() {
        while (!aside.isEmpty()) {
            aside.remove().run();
        }
    }

    @Test
    void a_copy_that_the_store_has_as_well_is_confirmed_however_the_clocks_drift() throws Exception {
        TieredCache<String, String> cache = over(store.open(SPEC), aside::add);
        cache.put("a", new Timestamped<>("1", ticker.nanos()));
        write();
        ticker.stepWallClock(Duration.ofMillis(1)); // as they do apart by themselves, by less
        ticker.advance(Duration.ofSeconds(11));
        assertThat(cache.near("a", WINDOW).freshness()).isEqualTo(Freshness.STALE);

        Lookup<String> found = cache.readStore("a", WINDOW);

        assertThat(found.value()).isEqualTo("1");
        assertThat(cache.near("a", WINDOW).value()).as("for another while").isEqualTo("1");
        assertThat(cache.droppedPuts()).isZero();
    }

    @Test
    void an_invalidation_of_a_clock_that_is_ahead_holds_for_what_was_before_and_not_for_what_comes() throws Exception {
        TieredCache<String, String> cache = over(store.open(SPEC), aside::add);
        cache.put("a", new Timestamped<>("old", ticker.nanos()));
        store.copies.put("a", new RemoteCopy<>(null, Long.MAX_VALUE));

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);
        assertThat(cache.read("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);

        ticker.advance(Duration.ofSeconds(1));
        assertThat(cache.put("a", new Timestamped<>("new", ticker.nanos()))).isTrue();
        assertThat(cache.read("a", WINDOW).value()).isEqualTo("new");
    }

    @Test
    void a_writer_that_is_interrupted_in_the_store_ends_with_its_container() throws Exception {
        store.held = new CountDownLatch(1); // interruptible, and nobody opens it
        Commands commands = Commands.builder()
                .name("interrupted")
                .caches(store)
                .closeGrace(Duration.ofMillis(50))
                .build();
        TimedCache<String, String> cache = commands.cache(SPEC);
        cache.invalidate("a");
        await().until(() -> store.writes.get() == 1);

        commands.close();

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("degradable-interrupted-")));
        assertThat(store.writes).hasValue(1);
    }

    /** A key whose hash goes wrong. */
    private static final class Key {
        private final String id;
        private boolean broken;

        Key(String id) {
            this.id = id;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && id.equals(key.id);
        }

        @Override
        public int hashCode() {
            if (broken) {
                throw new IllegalStateException("no hash");
            }
            return id.hashCode();
        }
    }

    @Test
    void a_key_that_throws_later_keeps_nobody_elses_copies_from_the_store() {
        TieredCache<Key, String> cache = over(
                new Remote<>() {
                    @Override
                    public boolean write(Key key, RemoteCopy<String> copy, Duration expiry) {
                        store.writes.incrementAndGet();
                        return true;
                    }
                },
                aside::add);
        Key broken = new Key("a");
        cache.put(broken, new Timestamped<>("1", ticker.nanos()));
        cache.put(new Key("b"), new Timestamped<>("1", ticker.nanos()));
        broken.broken = true;

        write();

        assertThat(store.writes).hasValue(2);
        assertThat(writeBack.isUnderWay()).isFalse();
    }

    @Test
    void an_invalidation_that_found_no_thread_is_tried_with_the_next_one_of_its_key() {
        boolean[] refuses = {true};
        TieredCache<String, String> cache = over(store.open(SPEC), work -> !refuses[0] && aside.add(work));
        cache.invalidate("a");
        refuses[0] = false;

        cache.invalidate("a");
        write();

        assertThat(store.marks("a")).isTrue();
        assertThat(writeBack.isUnderWay()).isFalse();
    }

    @Test
    void an_interrupt_that_a_store_leaves_behind_loses_no_invalidation() {
        TieredCache<String, String> cache = over(
                new Remote<>() {
                    @Override
                    public boolean write(String key, RemoteCopy<String> copy, Duration expiry) {
                        if (store.writes.incrementAndGet() == 1) {
                            Thread.currentThread().interrupt();
                        }
                        store.copies.put(key, copy);
                        return true;
                    }
                },
                aside::add);
        cache.invalidate("a");
        cache.invalidate("b");

        write();
        boolean unused = Thread.interrupted();
        cache.invalidate("c");
        write();

        assertThat(store.copies).containsOnlyKeys("a", "b", "c");
        assertThat(writeBack.isUnderWay()).isFalse();
    }

    @Test
    void a_key_that_cannot_be_written_at_all_is_given_up_and_slows_nobody_down() {
        TieredCache<String, String> cache = new TieredCache<>(SPEC, new CodedStore(), writeBack, ticker);
        cache.invalidate("\ud800"); // half a pair: no UTF-8 for it
        cache.invalidate("a");

        write(); // would not return: time stands still

        assertThat(store.marks("a")).isTrue();
        assertThat(cache.failedWrites()).isEqualTo(1);
        assertThat(writeBack.isUnderWay()).isFalse();
    }

    /** Encodes as real stores do. */
    private final class CodedStore extends Remote<String> {
        @Override
        public boolean write(String key, RemoteCopy<String> copy, Duration expiry) throws Exception {
            Codec.strings().encode(key);
            store.copies.put(key, copy);
            return true;
        }
    }

    private abstract static class Remote<K> implements RemoteCache<K, String> {
        @Override
        public @Nullable RemoteCopy<String> read(K key) {
            return null;
        }

        @Override
        public Map<String, Long> unreadable() {
            return Map.of();
        }
    }

    @Test
    void a_clock_set_back_makes_nothing_younger_for_a_whole_hour() {
        for (int secondsBeforeTheTurn = 1; secondsBeforeTheTurn < 3_600; secondsBeforeTheTurn += 600) {
            WallClock clock = new WallClock(ticker);
            ticker.advance(Duration.ofSeconds(3_600 - secondsBeforeTheTurn));
            long stamp = clock.stamp(ticker.nanos());
            ticker.stepWallClock(Duration.ofMinutes(-5));

            for (int second = 1; second <= 3_600; second++) {
                ticker.advance(Duration.ofSeconds(1));
                assertThat(clock.ageNanos(stamp, ticker.nanos()))
                        .as("after %d s, %d s before the turn", second, secondsBeforeTheTurn)
                        .isGreaterThanOrEqualTo(second * 1_000_000_000L);
            }
        }
    }
}
