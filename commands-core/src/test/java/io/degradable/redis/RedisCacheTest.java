package io.degradable.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCopy;
import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** Copies in a healthy Redis: who wins, what is read, what lies there and is not ours. */
@Timeout(60)
final class RedisCacheTest {

    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").stored(Codec.strings(), Codec.strings());
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final long NOW = 1_796_000_000_123_456_789L;

    private static RedisServer server;
    private static RedisClient client;

    private RemoteCache<String, String> cache;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        Duration patient = Duration.ofSeconds(10);
        client = RedisClient.builder()
                .hostAndPort(server.address())
                .clientConfig(RedisCaches.clientConfig(patient).build())
                .poolConfig(RedisCaches.poolConfig(8, patient))
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void empty() {
        server.run("FLUSHALL");
        cache = RedisCaches.over(client).open(COPIES);
    }

    private static RemoteCopy<String> copy(String value, long stamp) {
        return new RemoteCopy<>(value, stamp);
    }

    private static RemoteCopy<String> mark(long stamp) {
        return new RemoteCopy<>(null, stamp);
    }

    private static byte[] inRedis(String key) {
        return ("degradable:copies:" + key).getBytes(UTF_8);
    }

    private Map<String, Long> unreadable() {
        Map<String, Long> counts = cache.unreadable();
        counts.values().removeIf(count -> count == 0);
        return counts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"42", "", "{de}:42", "}{", "a\r\nb\0c", "\u00e9\u20ac", "GET *"})
    void a_copy_is_read_as_it_was_written(String key) throws Exception {
        assertThat(cache.read(key)).isNull();

        assertThat(cache.write(key, copy("", NOW), KEPT)).isTrue();
        assertThat(cache.read(key)).isEqualTo(copy("", NOW));
        assertThat(cache.write(key, copy("a\0\r\n$5\r\n", NOW + 1), KEPT)).isTrue();

        assertThat(cache.read(key)).isEqualTo(copy("a\0\r\n$5\r\n", NOW + 1));
        assertThat(client.exists(inRedis(key))).isTrue();
        assertThat(unreadable()).isEmpty();
    }

    @Test
    void every_byte_is_safe_in_keys_and_copies() throws Exception {
        CacheSpec<byte[], byte[]> plain =
                CacheSpec.<byte[], byte[]>named("bytes").stored(Codec.bytes(), Codec.bytes());
        RemoteCache<byte[], byte[]> bytes = RedisCaches.over(client).open(plain);
        byte[] all = new byte[256];
        for (int value = 0; value < all.length; value++) {
            all[value] = (byte) value;
        }
        byte[] large = new byte[3_000_000];
        new Random(1).nextBytes(large);

        bytes.write(all, new RemoteCopy<>(large, NOW), KEPT);

        assertThat(Objects.requireNonNull(bytes.read(all)).value()).isEqualTo(large);
    }

    /** By so many nanoseconds; also where the halves of a stamp, which are compared one by one, have the highest bit. */
    @ParameterizedTest
    @CsvSource({
        "copy, copy, 1, true",
        "copy, copy, 0, true",
        "copy, copy, -1, false",
        "copy, mark, 1, true",
        "copy, mark, 0, true",
        "copy, mark, -1, false",
        "mark, copy, 1, true",
        "mark, copy, 0, false",
        "mark, copy, -1, false",
        "mark, mark, 0, true",
        "mark, mark, -1, false",
        "copy, copy, 2147483648, true",
        "copy, copy, -2147483648, false",
        "copy, copy, 4294967296, true",
        "copy, copy, -4294967295, false",
    })
    void the_younger_stays_and_at_one_moment_the_invalidation(String held, String offered, long by, boolean kept)
            throws Exception {
        for (long stamp : new long[] {NOW, 0x18_7FFF_FFFFL, 0x18_FFFF_FFFFL, 0x18_0000_0000L, 0, -5}) {
            server.run("FLUSHALL");
            RemoteCopy<String> first = new RemoteCopy<>(held.equals("mark") ? null : "held", stamp);
            RemoteCopy<String> second = new RemoteCopy<>(offered.equals("mark") ? null : "offered", stamp + by);
            cache.write("42", first, KEPT);

            assertThat(cache.write("42", second, KEPT)).as("at %s", stamp).isEqualTo(kept);
            assertThat(cache.read("42")).as("at %s", stamp).isEqualTo(kept ? second : first);
        }
    }

    @Test
    void of_many_writers_at_once_the_youngest_copy_of_each_key_wins() throws Exception {
        int writers = 4;
        int keys = 10;
        int writes = 2_500;
        Random random = new Random(7);
        long[][] stamps = new long[writers][writes];
        for (long[] ofWriter : stamps) {
            Arrays.setAll(
                    ofWriter, write -> NOW + (random.nextBoolean() ? random.nextInt(2_000) : random.nextLong() >>> 30));
        }

        try (Race race = new Race(writers)) {
            race.round(writer -> {
                RemoteCache<String, String> own = RedisCaches.over(client).open(COPIES);
                for (int write = 0; write < writes; write++) {
                    long stamp = stamps[writer][write];
                    own.write("key " + write % keys, copy("at " + stamp, stamp), KEPT);
                }
                return writer;
            });
        }

        for (int key = 0; key < keys; key++) {
            long youngest = Long.MIN_VALUE;
            for (long[] ofWriter : stamps) {
                for (int write = key; write < writes; write += keys) {
                    youngest = Math.max(youngest, ofWriter[write]);
                }
            }
            assertThat(cache.read("key " + key)).isEqualTo(copy("at " + youngest, youngest));
        }
    }

    @Test
    void an_invalidation_keeps_out_what_was_true_before_it() throws Exception {
        cache.write("42", copy("before", NOW), KEPT);
        cache.write("42", mark(NOW + 5), KEPT);

        assertThat(cache.write("42", copy("late", NOW + 3), KEPT)).isFalse();
        assertThat(cache.read("42")).isEqualTo(mark(NOW + 5));
        assertThat(cache.write("42", copy("after", NOW + 6), KEPT)).isTrue();
        assertThat(cache.read("42")).isEqualTo(copy("after", NOW + 6));
    }

    @Test
    void what_has_expired_is_gone_and_what_was_kept_has_the_expiry_of_its_writer() throws Exception {
        cache.write("42", copy("long", NOW), KEPT);
        cache.write("42", copy("refused", NOW - 1), Duration.ofDays(1));
        assertThat(client.pttl(inRedis("42"))).isBetween(1L, KEPT.toMillis());

        cache.write("short", copy("short", NOW), Duration.ofNanos(1));
        await().atMost(Duration.ofSeconds(5)).until(() -> cache.read("short") == null);

        assertThat(cache.write("43", copy("for ever", NOW), Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue();
        assertThat(client.pttl(inRedis("43")))
                .isGreaterThan(Duration.ofDays(36_500).toMillis());
    }

    @Test
    void what_a_newer_version_has_written_is_neither_read_nor_overwritten() throws Exception {
        byte[] newer = new Envelope("copies", "?").seal("42".getBytes(UTF_8), "new".getBytes(UTF_8), NOW);
        newer[Envelope.VERSION_AT] = 2;
        client.set(inRedis("42"), newer);

        assertThat(cache.read("42")).isNull();
        assertThat(cache.write("42", copy("old", NOW + 1), KEPT)).isFalse();

        assertThat(client.get(inRedis("42"))).isEqualTo(newer);
        assertThat(unreadable()).containsExactly(Map.entry("newer", 1L));
    }

    @Test
    void garbage_is_a_counted_miss_and_makes_place_for_a_copy() throws Exception {
        byte[] younger =
                new Envelope("copies", "utf-8 -> utf-8").seal("42".getBytes(UTF_8), "x".getBytes(UTF_8), NOW + 1);
        List<byte[]> garbage = new ArrayList<>(List.of(new byte[0], "{\"id\":42}".getBytes(UTF_8), new byte[100]));
        for (int length : new int[] {4, 5, 17, 18, younger.length - 1}) {
            garbage.add(Arrays.copyOf(younger, length));
        }

        for (byte[] each : garbage) {
            client.set(inRedis("42"), each);
            assertThat(cache.read("42")).isNull();
            assertThat(cache.write("42", copy("mine", NOW), KEPT))
                    .as(new String(each, ISO_8859_1))
                    .isTrue();
            assertThat(cache.read("42")).isEqualTo(copy("mine", NOW));
        }
        client.del(inRedis("42"));
        client.lpush(inRedis("42"), new byte[1]);
        assertThat(cache.read("42")).isNull();
        assertThat(cache.write("42", copy("mine", NOW), KEPT)).isTrue();
        assertThat(cache.read("42")).isEqualTo(copy("mine", NOW));

        assertThat(unreadable()).containsOnly(Map.entry("foreign", 4L), Map.entry("truncated", 5L));
    }

    @Test
    void what_is_not_a_copy_of_this_key_in_this_form_is_never_handed_out() throws Exception {
        CacheSpec<String, Long> otherForm =
                CacheSpec.<String, Long>named("copies").stored(Codec.strings(), Codec.longs());
        RemoteCache<String, Long> numbers = RedisCaches.over(client).open(otherForm);
        cache.write("42", copy("of 42", NOW), KEPT);
        client.copy(inRedis("42"), inRedis("43"), true);
        byte[] spoilt = client.get(inRedis("42"));
        spoilt[spoilt.length - 6] ^= 1;
        client.set(inRedis("44"), spoilt);
        client.set(
                inRedis("45"),
                new Envelope("copies", "utf-8 -> utf-8").seal("45".getBytes(UTF_8), new byte[] {(byte) 0xFF}, NOW));
        client.set(
                inRedis("46"), new Envelope("copies", "utf-8 -> int64").seal("46".getBytes(UTF_8), new byte[7], NOW));

        for (String key : List.of("43", "44", "45", "46")) {
            assertThat(cache.read(key)).as(key).isNull();
        }
        assertThat(numbers.read("42")).isNull();
        assertThat(numbers.read("46")).isNull();

        assertThat(unreadable())
                .containsOnly(
                        Map.entry("other_key", 1L),
                        Map.entry("corrupt", 1L),
                        Map.entry("undecodable", 1L),
                        Map.entry("other_form", 1L));
        assertThat(numbers.unreadable()).containsEntry("other_form", 1L).containsEntry("undecodable", 1L);
    }

    @Test
    void a_codec_that_makes_nothing_of_a_copy_does_not_make_it_an_invalidation() throws Exception {
        Codec<String> forgetful = new Codec<>() {
            @Override
            public String name() {
                return "forgetful";
            }

            @Override
            public byte[] encode(String value) {
                return new byte[0];
            }

            @Override
            @SuppressWarnings("NullAway") // the point of it
            public String decode(byte[] bytes) {
                return null;
            }
        };
        RemoteCache<String, String> lost = RedisCaches.over(client)
                .open(CacheSpec.<String, String>named("lost").stored(Codec.strings(), forgetful));
        lost.write("42", copy("value", NOW), KEPT);

        assertThat(lost.read("42")).isNull();
        assertThat(lost.unreadable()).containsEntry("undecodable", 1L);
    }

    @Test
    void the_script_is_sent_again_when_redis_has_forgotten_it() throws Exception {
        cache.write("42", copy("first", NOW), KEPT);
        server.run("SCRIPT", "FLUSH");

        assertThat(cache.write("42", copy("second", NOW + 1), KEPT)).isTrue();
        assertThat(cache.write("42", copy("older", NOW), KEPT)).isFalse();
        assertThat(cache.read("42")).isEqualTo(copy("second", NOW + 1));
    }

    @Test
    void applications_with_a_prefix_each_do_not_see_each_others_copies() throws Exception {
        RemoteCache<String, String> other =
                RedisCaches.over(client).keyPrefix("shop:").open(COPIES);
        cache.write("42", copy("mine", NOW), KEPT);

        assertThat(other.read("42")).isNull();
        assertThat(other.write("42", copy("theirs", NOW - 1), KEPT)).isTrue();
        assertThat(cache.read("42")).isEqualTo(copy("mine", NOW));
        assertThat(client.exists("shop:copies:42")).isTrue();
    }
}
