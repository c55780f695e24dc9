package io.degradable.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.testing.ManualTicker;
import io.degradable.testing.Race;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
final class LocalCacheTest {

    private static final CacheSpec<String, String> SPEC = CacheSpec.named("copies");
    private static final Duration WINDOW = Duration.ofSeconds(60);

    private final ManualTicker ticker = new ManualTicker();
    private final LocalCache<String, String> cache = new LocalCache<>(SPEC, ticker);

    private Timestamped<String> copy(String value) {
        return new Timestamped<>(value, ticker.nanos());
    }

    private Timestamped<String> copyFrom(String value, long nanosAgo) {
        return new Timestamped<>(value, ticker.nanos() - nanosAgo);
    }

    private Freshness freshness(String key) {
        return cache.read(key, WINDOW).freshness();
    }

    @Test
    void a_copy_is_served_with_its_age_under_its_own_key() {
        assertThat(cache.put("a", copy("live"))).isTrue();
        ticker.advance(Duration.ofSeconds(41));

        Lookup<String> found = cache.read("a", WINDOW);

        assertThat(found)
                .isEqualTo(new Lookup<>(
                        Freshness.FRESH, "live", Duration.ofSeconds(41).toNanos()));
        assertThat(freshness("b")).isEqualTo(Freshness.ABSENT);
    }

    @Test
    void a_copy_of_sixty_seconds_passes_a_window_of_sixty_and_one_nanosecond_later_it_does_not() {
        cache.put("a", copy("live"));

        ticker.advance(WINDOW);
        assertThat(freshness("a")).isEqualTo(Freshness.FRESH);
        ticker.advance(Duration.ofNanos(1));
        assertThat(freshness("a")).isEqualTo(Freshness.STALE);
    }

    @Test
    void each_reader_has_a_window_of_its_own() {
        cache.put("a", copy("live"));
        ticker.advance(Duration.ofSeconds(31));

        assertThat(cache.read("a", Duration.ofSeconds(30)).freshness()).isEqualTo(Freshness.STALE);
        assertThat(cache.read("a", Duration.ofSeconds(31)).value()).isEqualTo("live");
    }

    @Test
    void a_copy_from_the_future_is_not_served_until_its_moment() {
        cache.put("a", copyFrom("early", -1));

        assertThat(freshness("a")).isEqualTo(Freshness.FROM_THE_FUTURE);
        ticker.advance(Duration.ofNanos(1));
        assertThat(cache.read("a", WINDOW).value()).isEqualTo("early");
    }

    @Test
    void serving_a_copy_never_makes_it_younger() {
        cache.put("a", copy("live"));

        for (int second = 1; second <= 60; second++) {
            ticker.advance(Duration.ofSeconds(1));
            assertThat(cache.read("a", WINDOW).ageNanos())
                    .isEqualTo(Duration.ofSeconds(second).toNanos());
        }
        ticker.advance(Duration.ofSeconds(1));

        assertThat(freshness("a")).isEqualTo(Freshness.STALE);
    }

    @Test
    void an_older_copy_does_not_replace_a_newer_one_and_is_counted() {
        cache.put("a", copyFrom("newer", 5));

        boolean stored = cache.put("a", copyFrom("older", 6));

        assertThat(stored).isFalse();
        assertThat(cache.read("a", WINDOW).value()).isEqualTo("newer");
        assertThat(cache.droppedPuts()).isEqualTo(1);
    }

    @Test
    void a_newer_copy_or_one_of_the_same_moment_replaces_what_is_there() {
        cache.put("a", copyFrom("first", 5));

        assertThat(cache.put("a", copyFrom("same moment", 5))).isTrue();
        assertThat(cache.read("a", WINDOW).value()).isEqualTo("same moment");
        assertThat(cache.put("a", copyFrom("newer", 4))).isTrue();
        assertThat(cache.read("a", WINDOW).value()).isEqualTo("newer");
        assertThat(cache.droppedPuts()).isZero();
    }

    @Test
    void stamps_are_compared_across_the_overflow_of_the_clock() {
        cache.put("a", copy("before"));
        ticker.advance(Duration.ofMinutes(2));

        assertThat(cache.put("a", copy("after"))).isTrue();

        assertThat(cache.read("a", WINDOW).value()).isEqualTo("after");
        assertThat(cache.put("a", copyFrom("before", WINDOW.toNanos() * 2))).isFalse();
    }

    @Test
    void an_invalidated_copy_is_absent() {
        cache.put("a", copy("live"));

        cache.invalidate("a");

        assertThat(freshness("a")).isEqualTo(Freshness.ABSENT);
    }

    @Test
    void what_was_true_before_or_at_an_invalidation_stays_out_and_is_counted() {
        cache.invalidate("a");
        cache.invalidate("b");

        assertThat(cache.put("a", copyFrom("slow and older", 1))).isFalse();
        assertThat(cache.put("b", copy("of the same moment"))).isFalse();

        assertThat(freshness("a")).isEqualTo(Freshness.ABSENT);
        assertThat(freshness("b")).isEqualTo(Freshness.ABSENT);
        assertThat(cache.droppedPuts()).isEqualTo(2);
    }

    @Test
    void what_is_true_after_an_invalidation_is_stored() {
        cache.put("a", copy("before"));
        cache.invalidate("a");
        ticker.advance(Duration.ofNanos(1));

        assertThat(cache.put("a", copy("after"))).isTrue();

        assertThat(cache.read("a", WINDOW).value()).isEqualTo("after");
    }

    @DisplayName("B28: the wall clock moves no age")
    @Test
    void steps_of_the_wall_clock_move_no_age() {
        cache.put("a", copy("live"));

        ticker.stepWallClock(Duration.ofHours(-1));
        assertThat(cache.read("a", WINDOW).ageNanos()).isZero();
        ticker.stepWallClock(Duration.ofHours(6));
        assertThat(cache.read("a", WINDOW).ageNanos()).isZero();
    }

    @Test
    void a_copy_stored_while_it_is_read_is_not_from_the_future() {
        List<LocalCache<String, String>> raced = new ArrayList<>();
        Ticker storesWhenRead = new Ticker() {
            @Override
            public long nanos() {
                raced.get(0).put("a", copyFrom("newer", -1));
                return ticker.nanos();
            }

            @Override
            public long epochMillis() {
                return 0;
            }

            @Override
            public void await(Object blocker, long untilNanos) {}

            @Override
            public Timer newTimer(String name) {
                throw new UnsupportedOperationException("a cache schedules nothing");
            }
        };
        raced.add(new LocalCache<>(SPEC, storesWhenRead));
        raced.get(0).put("a", copyFrom("older", 5));

        Lookup<String> found = raced.get(0).read("a", WINDOW);

        assertThat(found).isEqualTo(new Lookup<>(Freshness.FRESH, "older", 5));
    }

    @Test
    void no_more_copies_are_kept_than_the_bound() {
        LocalCache<Integer, String> small =
                new LocalCache<>(CacheSpec.<Integer, String>named("s").maximumSize(50), ticker);

        for (int key = 0; key < 5_000; key++) {
            small.put(key, new Timestamped<>("copy", ticker.nanos()));
        }

        int served = 0;
        for (int key = 0; key < 5_000; key++) {
            served += small.read(key, WINDOW).freshness() == Freshness.FRESH ? 1 : 0;
        }
        assertThat(small.size()).isEqualTo(50);
        assertThat(served).isEqualTo(50);
    }

    @Test
    void a_spec_names_its_bound_and_refuses_what_is_none() {
        assertThat(SPEC.settings().maximum()).isEqualTo(10_000);
        assertThat(SPEC.maximumSize(7).settings().maximum()).isEqualTo(7);
        assertThatThrownBy(() -> SPEC.maximumSize(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maximumSize of cache copies must be positive, was 0");
        assertThatThrownBy(() -> CacheSpec.named("no name"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("cache name must be 1 to 120 characters")
                .hasMessageEndingWith("was \"no name\"");
    }

    @DisplayName("B97: a put that races with an invalidation never brings old data back")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_was_true_before_an_invalidation_is_gone_however_the_race_ends(boolean known) throws Exception {
        LocalCache<Integer, String> raced = new LocalCache<>(CacheSpec.<Integer, String>named("raced"), ticker);
        for (int key = 0; known && key < 9_000; key++) {
            raced.put(key, copyFrom("v0", 3));
        }
        try (Race race = new Race(3)) {
            race.inStep(9_000, (side, key) -> {
                switch (side) {
                    case 0 -> raced.put(key, copyFrom("v1", 2));
                    case 1 -> raced.put(key, copyFrom("v2", 1));
                    default -> raced.invalidate(key);
                }
            });
        }

        for (int key = 0; key < 9_000; key++) {
            assertThat(raced.read(key, WINDOW).freshness()).as("key %d", key).isEqualTo(Freshness.ABSENT);
        }
    }

    @DisplayName("B97: of two copies and an invalidation in between, the newer copy is left or none")
    @Test
    void a_race_ends_with_the_newest_copy_or_none() throws Exception {
        LocalCache<Integer, String> raced = new LocalCache<>(CacheSpec.<Integer, String>named("raced"), ticker);
        try (Race race = new Race(3)) {
            race.inStep(9_000, (side, key) -> {
                switch (side) {
                    case 0 -> raced.put(key, copyFrom("v1", 1));
                    case 1 -> raced.put(key, copyFrom("v2", -1));
                    default -> raced.invalidate(key);
                }
            });
        }

        ticker.advance(Duration.ofNanos(1));
        for (int key = 0; key < 9_000; key++) {
            assertThat(raced.read(key, WINDOW).value()).as("key %d", key).isIn("v2", null);
        }
    }

    @DisplayName("B97: of two puts the newer copy is left")
    @Test
    void of_two_puts_the_newer_copy_is_left() throws Exception {
        LocalCache<Integer, String> raced = new LocalCache<>(CacheSpec.<Integer, String>named("raced"), ticker);
        try (Race race = new Race(2)) {
            race.inStep(9_000, (side, key) -> raced.put(key, copyFrom(side == 0 ? "older" : "newer", 2 - side)));
        }

        for (int key = 0; key < 9_000; key++) {
            assertThat(raced.read(key, WINDOW).value()).as("key %d", key).isEqualTo("newer");
        }
    }

    @Test
    void a_reader_never_sees_time_go_back() throws Exception {
        LocalCache<String, Long> versions = new LocalCache<>(CacheSpec.named("versions"), ticker);
        long origin = ticker.nanos();
        ticker.advance(Duration.ofSeconds(1));
        try (Race race = new Race(3)) {
            race.round(side -> {
                long last = 0;
                for (long version = 1; version <= 200_000; version++) {
                    if (side < 2) {
                        versions.put("a", new Timestamped<>(version, origin + version));
                    } else {
                        Long seen = versions.read("a", WINDOW).value();
                        assertThat(seen == null || seen >= last)
                                .as("version %s after %d", seen, last)
                                .isTrue();
                        last = seen == null ? last : seen;
                    }
                }
                return side;
            });
        }

        assertThat(versions.read("a", WINDOW).value()).isEqualTo(200_000);
    }
}
