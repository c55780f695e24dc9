package io.degradable.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import javax.annotation.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** H5, S1, S5: memory and a store behind it. */
final class TieredCacheTest {

    private static final CacheSpec<String, String> SPEC = CacheSpec.<String, String>named("copies")
            .stored(Codec.strings(), Codec.strings())
            .nearFor(Duration.ofSeconds(10));
    private static final Duration WINDOW = Duration.ofSeconds(60);

    private final ManualTicker ticker = new ManualTicker();
    private final StoreInMemory store = new StoreInMemory();
    private final Queue<Runnable> aside = new ArrayDeque<>();
    private final WriteBack writeBack = new WriteBack(3, ticker, aside::add, () -> false, () -> {});
    private final TieredCache<String, String> cache = tiered(SPEC);

    @BeforeEach
    void isRead() {
        cache.isReadUpTo(WINDOW);
    }

    private TieredCache<String, String> tiered(CacheSpec<String, String> spec) {
        return new TieredCache<>(spec, store.open(spec), writeBack, ticker);
    }

    private void write() {
        while (!aside.isEmpty()) {
            aside.remove().run();
        }
    }

    private Timestamped<String> copy(String value) {
        return new Timestamped<>(value, ticker.nanos());
    }

    /** A copy that another process wrote, some time ago. */
    private RemoteCopy<String> others(@Nullable String value, Duration age) {
        return new RemoteCopy<>(value, ticker.epochMillis() * 1_000_000 - age.toNanos());
    }

    @Test
    void what_is_put_is_in_memory_at_once_and_in_the_store_behind_the_call() {
        cache.put("a", copy("new"));

        assertThat(cache.near("a", WINDOW).value()).isEqualTo("new");
        assertThat(store.copies).isEmpty();

        write();

        assertThat(store.copies).containsEntry("a", others("new", Duration.ZERO));
        assertThat(cache.written()).isEqualTo(1);
    }

    @Test
    void the_store_keeps_a_copy_for_the_longest_window_and_a_margin() {
        cache.put("a", copy("1"));
        cache.isReadUpTo(Duration.ofSeconds(30));
        write();

        assertThat(store.expiries).containsEntry("a", Duration.ofSeconds(70));

        cache.isReadUpTo(Duration.ofHours(1));
        cache.put("b", copy("1"));
        write();

        assertThat(store.expiries).containsEntry("b", Duration.ofMinutes(66));
    }

    @Test
    void the_store_keeps_a_copy_for_as_long_as_the_spec_says() {
        TieredCache<String, String> said = tiered(SPEC.keepFor(Duration.ofMinutes(30)));
        said.isReadUpTo(WINDOW);

        said.put("a", copy("1"));
        write();

        assertThat(store.expiries).containsEntry("a", Duration.ofMinutes(30));
    }

    @Test
    void memory_is_believed_for_as_long_as_the_spec_says_and_read_at_last_for_as_long_as_the_window_says() {
        cache.put("a", copy("1"));

        ticker.advance(Duration.ofSeconds(10));
        assertThat(cache.near("a", WINDOW).freshness()).isEqualTo(Freshness.FRESH);
        ticker.advance(Duration.ofNanos(1));

        assertThat(cache.near("a", WINDOW).freshness()).isEqualTo(Freshness.STALE);
        assertThat(cache.read("a", WINDOW))
                .isEqualTo(new Lookup<>(
                        Freshness.FRESH,
                        "1",
                        Duration.ofSeconds(10).plusNanos(1).toNanos()));
    }

    @Test
    void a_copy_of_another_process_has_its_age_by_its_stamp_and_ages_by_the_ticker_from_then_on() throws Exception {
        store.copies.put("a", others("theirs", Duration.ofSeconds(59)));

        assertThat(cache.readStore("a", WINDOW).ageNanos())
                .isEqualTo(Duration.ofSeconds(59).toNanos());
        ticker.advance(Duration.ofSeconds(1));
        ticker.stepWallClock(Duration.ofDays(-1));

        assertThat(cache.near("a", WINDOW).ageNanos()).isEqualTo(WINDOW.toNanos());
        ticker.advance(Duration.ofNanos(1));
        assertThat(cache.near("a", WINDOW).freshness()).isEqualTo(Freshness.STALE);
    }

    @Test
    void the_window_of_a_stored_copy_is_exact_and_inclusive() throws Exception {
        store.copies.put("a", others("1", WINDOW));
        store.copies.put("b", others("1", WINDOW.plusNanos(1)));

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.FRESH);
        assertThat(cache.readStore("b", WINDOW).freshness()).isEqualTo(Freshness.STALE);
        assertThat(cache.readStore("c", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);
    }

    @Test
    void a_stamp_from_the_future_is_refused_unless_the_skew_allows_for_it() throws Exception {
        store.copies.put("a", others("1", Duration.ofSeconds(-2)));
        TieredCache<String, String> lenient = tiered(SPEC.clockSkew(Duration.ofSeconds(2)));

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.FROM_THE_FUTURE);
        assertThat(cache.read("a", WINDOW).freshness()).as("in memory").isEqualTo(Freshness.ABSENT);
        assertThat(lenient.readStore("a", WINDOW)).isEqualTo(new Lookup<>(Freshness.FRESH, "1", 0));

        store.copies.put("a", others("1", Duration.ofSeconds(-2).minusNanos(1)));
        assertThat(lenient.readStore("b", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);
        assertThat(tiered(SPEC.clockSkew(Duration.ofSeconds(2)))
                        .readStore("a", WINDOW)
                        .freshness())
                .isEqualTo(Freshness.FROM_THE_FUTURE);
    }

    @Test
    void the_younger_of_memory_and_store_is_served() throws Exception {
        cache.put("a", copy("ours"));
        store.copies.put("a", others("older", Duration.ofSeconds(1)));

        assertThat(cache.readStore("a", WINDOW).value()).isEqualTo("ours");

        ticker.advance(Duration.ofSeconds(5));
        store.copies.put("a", others("younger", Duration.ofSeconds(4)));
        assertThat(cache.readStore("a", WINDOW).value()).isEqualTo("younger");
    }

    @Test
    void an_invalidation_keeps_out_what_the_store_still_has_and_gets_there() throws Exception {
        cache.put("a", copy("1"));
        write();
        ticker.advance(Duration.ofSeconds(1));

        cache.invalidate("a");

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);
        write();
        assertThat(store.copies).containsEntry("a", others(null, Duration.ZERO));
    }

    @Test
    void an_invalidation_by_another_process_takes_the_copy_out_of_memory() throws Exception {
        cache.put("a", copy("1"));
        ticker.advance(Duration.ofSeconds(3));
        store.copies.put("a", others(null, Duration.ofSeconds(1)));

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);

        assertThat(cache.read("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);
        assertThat(cache.put("a", new Timestamped<>("slow", ticker.nanos() - 2_000_000_000L)))
                .as("true before it")
                .isFalse();
    }

    @Test
    void an_older_invalidation_leaves_a_younger_copy() throws Exception {
        store.copies.put("a", others(null, Duration.ofSeconds(1)));
        cache.put("a", copy("1"));

        assertThat(cache.readStore("a", WINDOW).freshness()).isEqualTo(Freshness.ABSENT);

        assertThat(cache.read("a", WINDOW).value()).isEqualTo("1");
    }

    // ---- writing behind ----

    @Test
    void of_several_copies_of_a_key_the_youngest_is_written_once() {
        cache.put("a", copy("1"));
        ticker.advance(Duration.ofSeconds(1));
        cache.put("a", copy("2"));
        cache.put("a", new Timestamped<>("older", ticker.nanos() - 500));

        write();

        assertThat(store.writes).hasValue(1);
        assertThat(store.copies).containsEntry("a", others("2", Duration.ZERO));
    }

    @Test
    void of_two_that_reach_the_queue_the_wrong_way_round_the_younger_is_written_and_of_one_moment_the_invalidation() {
        writeBack.add(cache, "a", others("younger", Duration.ofSeconds(1)));
        writeBack.add(cache, "a", others("older", Duration.ofSeconds(2)));
        writeBack.add(cache, "b", others(null, Duration.ofSeconds(1)));
        writeBack.add(cache, "b", others("of the same moment", Duration.ofSeconds(1)));

        write();

        assertThat(store.copies)
                .containsEntry("a", others("younger", Duration.ofSeconds(1)))
                .containsEntry("b", others(null, Duration.ofSeconds(1)));
        assertThat(store.writes).hasValue(2);
    }

    @Test
    void copies_that_find_no_room_are_dropped_and_counted_and_a_waiting_key_takes_a_younger_one() {
        for (String key : new String[] {"a", "b", "c", "d", "e"}) {
            cache.put(key, copy("1"));
        }
        ticker.advance(Duration.ofSeconds(1));
        cache.put("a", copy("2"));

        write();

        assertThat(store.copies).containsOnlyKeys("a", "b", "c").containsEntry("a", others("2", Duration.ZERO));
        assertThat(cache.droppedWrites()).isEqualTo(2);
        assertThat(cache.near("e", WINDOW).value()).isEqualTo("1");
        assertThat(writeBack.isUnderWay()).isFalse();
    }

    @Test
    void an_invalidation_finds_room_when_copies_do_not() {
        for (String key : new String[] {"a", "b", "c"}) {
            cache.put(key, copy("1"));
        }

        cache.invalidate("d");
        write();

        assertThat(store.copies).containsKey("d");
        assertThat(cache.droppedWrites()).isZero();
    }

    @Test
    void what_the_store_has_something_younger_than_is_counted() {
        store.copies.put("a", others("theirs", Duration.ofSeconds(-1)));

        cache.put("a", copy("ours"));
        write();

        assertThat(cache.olderThanStored()).isEqualTo(1);
        assertThat(cache.written()).isZero();
    }

    @Test
    void a_copy_that_cannot_be_written_is_counted_and_let_go() throws Exception {
        store.broken = new IOException("no store");
        cache.put("a", copy("1"));

        writeWhileTimeMoves(1);

        assertThat(cache.failedWrites()).isEqualTo(1);
        assertThat(writeBack.isUnderWay()).isFalse();
        assertThat(cache.near("a", WINDOW).value()).isEqualTo("1");
    }

    @Test
    void an_invalidation_is_tried_until_it_is_done() throws Exception {
        store.broken = new IOException("no store");
        cache.invalidate("a");
        Thread writer = new Thread(this::write);
        writer.start();
        for (int pause = 0; pause < 5; pause++) {
            ticker.untilWaiting(1);
            ticker.advance(Duration.ofMillis(50));
        }
        ticker.untilWaiting(1);
        assertThat(cache.failedWrites()).isBetween(5L, 6L);

        store.broken = null;
        while (writer.isAlive()) {
            ticker.advance(Duration.ofMillis(50));
            Thread.onSpinWait();
        }

        assertThat(store.copies).containsKey("a");
    }

    @Test
    void after_an_outage_writing_begins_slowly_and_doubles_each_second() throws Exception {
        WriteBack wide = new WriteBack(1_000, ticker, aside::add, () -> false, () -> {});
        TieredCache<String, String> wider = new TieredCache<>(SPEC, store.open(SPEC), wide, ticker);
        store.broken = new IOException("no store");
        wider.put("first", copy("1"));
        Thread writer = new Thread(this::write);
        writer.start();
        ticker.untilWaiting(1);
        store.broken = null;
        for (int key = 0; key < 200; key++) {
            wider.put("key-" + key, copy("1"));
        }

        int[] written = new int[3];
        for (int second = 0; second < written.length; second++) {
            int before = store.writes.get();
            for (int step = 0; step < 400; step++) {
                ticker.untilWaiting(1);
                ticker.advance(Duration.ofNanos(2_500_000));
            }
            written[second] = store.writes.get() - before;
        }
        while (writer.isAlive()) {
            ticker.advance(Duration.ofSeconds(1));
            Thread.onSpinWait();
        }

        assertThat(written[0]).isBetween(19, 21);
        assertThat(written[1]).isBetween(38, 42);
        assertThat(written[2]).isBetween(75, 85);
        assertThat(store.copies).hasSize(200);
    }

    private void writeWhileTimeMoves(int pauses) throws InterruptedException {
        Thread writer = new Thread(this::write);
        writer.start();
        for (int pause = 0; pause < pauses; pause++) {
            ticker.untilWaiting(1);
            ticker.advance(Duration.ofMillis(50));
        }
        writer.join();
    }
}
