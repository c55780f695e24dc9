package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCopy;
import io.degradable.testing.Caller;
import io.degradable.testing.Race;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * What comes of a Redis in trouble: an exception or a miss, within the limits of the client, and never somebody else's data.
 * And afterwards every connection is back in the pool or closed.
 */
@Timeout(60)
final class RedisFaultsTest {

    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").stored(Codec.strings(), Codec.strings());
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final Duration PATIENT = Duration.ofSeconds(10);
    private static final long STAMP = 1_796_000_000_123_456_789L;

    private static RedisServer server;

    private final List<RedisClient> clients = new ArrayList<>();
    private Proxy proxy;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void standBetween() {
        server.run("FLUSHALL");
        proxy = new Proxy(server.address());
    }

    @AfterEach
    void nothing_is_left_over() {
        proxy.close();
        for (RedisClient client : clients) {
            client.close();
        }
    }

    private RedisClient client(HostAndPort address, int connections, Duration limit) {
        RedisClient client = RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(RedisCaches.clientConfig(limit).build())
                .poolConfig(RedisCaches.poolConfig(connections, limit))
                .build();
        clients.add(client);
        return client;
    }

    private static RemoteCache<String, String> cache(RedisClient client) {
        return RedisCaches.over(client).open(COPIES);
    }

    private static RemoteCopy<String> copyOf(String key) {
        return new RemoteCopy<>("of " + key, STAMP);
    }

    private static void fill(RemoteCache<String, String> cache, String... keys) throws Exception {
        for (String key : keys) {
            cache.write(key, copyOf(key), KEPT);
        }
    }

    private static long millisOf(Callable<?> call) {
        long start = System.nanoTime();
        assertThatThrownBy(call::call).isInstanceOf(Exception.class);
        return Duration.ofNanos(System.nanoTime() - start).toMillis();
    }

    /** What is read, or null for a miss and for an exception. */
    private static @Nullable RemoteCopy<String> readOrNothing(RemoteCache<String, String> cache, String key) {
        try {
            return cache.read(key);
        } catch (Exception trouble) {
            return null;
        }
    }

    /** Not always at once: an error takes one line off, and leaves what is behind it to the next request. */
    private static void assertThatItIsRightAgain(RemoteCache<String, String> cache) {
        await().atMost(PATIENT).pollDelay(Duration.ZERO).until(() -> {
            RemoteCopy<String> copy = readOrNothing(cache, "a");
            assertThat(copy).isIn(null, copyOf("a"));
            return copy != null;
        });
    }

    /** Borrowed is returned or destroyed, and nothing else. */
    private static void assertThatNothingLeaked(RedisClient client) {
        assertThat(client.getPool().getNumActive()).isZero();
        assertThat(client.getPool().getCreatedCount())
                .isEqualTo(
                        client.getPool().getDestroyedCount() + client.getPool().getNumIdle());
    }

    // ---- no reply ----

    @Test
    void a_redis_that_hangs_costs_a_few_limits_and_what_it_says_too_late_is_for_nobody() throws Exception {
        RedisClient client = client(server.address(), 1, LIMIT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a", "b");

        server.freeze();
        long read;
        long write;
        try {
            read = millisOf(() -> cache.read("a"));
            write = millisOf(() -> cache.write("a", copyOf("a"), KEPT));
        } finally {
            server.thaw();
        }

        assertThat(read).isBetween(LIMIT.toMillis() - 5, 10 * LIMIT.toMillis());
        assertThat(write).isBetween(LIMIT.toMillis() - 5, 10 * LIMIT.toMillis());
        assertThat(cache.read("b")).isEqualTo(copyOf("b"));
        assertThat(cache.unreadable())
                .allSatisfy((reason, count) -> assertThat(count).as(reason).isZero());
        assertThatNothingLeaked(client);
    }

    @Test
    void a_reply_that_takes_its_time_within_the_limit_is_read() throws Exception {
        RemoteCache<String, String> cache = cache(client(proxy.address(), 1, PATIENT));
        fill(cache, "a");
        proxy.set(Proxy.delays(50));

        assertThat(cache.read("a")).isEqualTo(copyOf("a"));
    }

    @Test
    void a_redis_that_takes_no_connection_is_an_exception_and_comes_back() throws Exception {
        RedisClient client = client(proxy.address(), 2, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");

        proxy.refuse();
        for (int read = 0; read < 10; read++) {
            assertThatThrownBy(() -> cache.read("a")).isInstanceOf(JedisException.class);
        }
        assertThatNothingLeaked(client);
        proxy.accept();

        assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        assertThatNothingLeaked(client);
    }

    @Test
    void a_reply_that_ends_in_the_middle_is_an_exception_wherever_it_ends() throws Exception {
        RedisClient client = client(proxy.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");
        int length = lengthOfReply(client, "a");

        for (int bytes = 0; bytes < length; bytes++) {
            proxy.set(Proxy.cutsAfter(bytes));
            assertThatThrownBy(() -> cache.read("a")).isInstanceOf(JedisConnectionException.class);
            proxy.set(Proxy.passes());
            assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        }

        assertThatNothingLeaked(client);
    }

    private static int lengthOfReply(RedisClient client, String key) {
        long bytes = client.strlen("degradable:copies:" + key);
        return (int) (("$" + bytes + "\r\n").length() + bytes + 2);
    }

    @Test
    @DisplayName(
            "B102: where nobody answers the connecting, nobody waits for more than the limits of connecting and borrowing")
    void connecting_to_a_black_hole_ends_at_the_limit() throws Exception {
        try (BlackHole hole = new BlackHole();
                Race race = new Race(8)) {
            RedisClient client = client(hole.address(), 4, LIMIT);
            RemoteCache<String, String> cache = cache(client);

            List<Long> spans = race.round(caller -> millisOf(() -> cache.read("a")));

            assertThat(spans).allSatisfy(span -> assertThat(span).isLessThan(10 * LIMIT.toMillis()));
            assertThatNothingLeaked(client);
            assertThat(client.getPool().getCreatedCount()).isZero();
        }
    }

    @Test
    void who_is_interrupted_while_waiting_for_a_connection_is_told_so_and_takes_none() throws Exception {
        RedisClient client = client(proxy.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");
        proxy.set(Proxy.delays(1_000));
        Caller<RemoteCopy<String>> first = Caller.calls(() -> cache.read("a"));
        await().atMost(PATIENT).until(() -> client.getPool().getNumActive() == 1);

        Caller<RemoteCopy<String>> second = Caller.calls(() -> cache.read("a"));
        await().atMost(PATIENT).until(() -> client.getPool().getNumWaiters() == 1);
        second.interrupt();

        assertThatThrownBy(second::result).hasCauseInstanceOf(InterruptedException.class);
        assertThat(first.result()).isEqualTo(copyOf("a"));
        assertThatNothingLeaked(client);
    }

    // ---- a wrong reply ----

    @Test
    void whichever_byte_of_a_reply_is_spoilt_no_other_copy_is_read() throws Exception {
        RedisClient client = client(proxy.address(), 1, LIMIT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");
        int length = lengthOfReply(client, "a");

        for (int position = 0; position < length; position++) {
            for (int bits : new int[] {0x01, 0x09, 0x80}) {
                proxy.set(Proxy.spoils(position, bits));
                RemoteCopy<String> spoilt = readOrNothing(cache, "a");
                proxy.set(Proxy.passes());

                assertThat(spoilt).as("byte %s", position).isIn(null, copyOf("a"));
                assertThatItIsRightAgain(cache);
            }
        }

        assertThatNothingLeaked(client);
    }

    @Test
    void a_connection_that_got_out_of_step_hands_out_nobody_elses_copy_and_is_closed() throws Exception {
        RedisClient client = client(proxy.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a", "b", "c");

        proxy.set(Proxy.repeats());
        assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        proxy.set(Proxy.passes());

        assertThat(cache.read("b")).as("the reply for a").isNull();
        assertThat(cache.unreadable()).containsEntry("other_key", 1L);
        assertThat(cache.read("c")).as("not the reply for b").isEqualTo(copyOf("c"));
        assertThat(cache.unreadable()).containsEntry("other_key", 1L);
        assertThatNothingLeaked(client);
    }

    @Test
    void a_write_that_gets_the_reply_to_another_does_not_know_what_became_of_it() throws Exception {
        RedisClient client = client(proxy.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a", "b", "c");

        proxy.set(Proxy.repeats());
        assertThat(cache.write("a", copyOf("a"), KEPT)).isTrue();
        proxy.set(Proxy.passes());

        RemoteCopy<String> older = new RemoteCopy<>("older", STAMP - 1);
        assertThatThrownBy(() -> cache.write("b", older, KEPT)).hasMessageContaining("another request");
        assertThat(cache.write("c", older, KEPT)).isFalse();
        assertThat(cache.read("b")).isEqualTo(copyOf("b"));
        assertThatNothingLeaked(client);
    }

    @Test
    void many_callers_over_connections_that_get_out_of_step_get_their_own_copies_or_none() throws Exception {
        RedisClient client = client(proxy.address(), 4, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        String[] keys = new String[20];
        for (int key = 0; key < keys.length; key++) {
            keys[key] = "key " + key;
        }
        fill(cache, keys);
        AtomicInteger replies = new AtomicInteger();
        proxy.set((reply, to) -> {
            to.write(reply);
            if (replies.incrementAndGet() % 20 == 0) {
                to.write(reply);
            }
        });

        int callers = 4;
        List<Integer> answered;
        try (Race race = new Race(callers)) {
            answered = race.round(caller -> {
                Random random = new Random(caller);
                int found = 0;
                for (int read = 0; read < 500; read++) {
                    String key = keys[random.nextInt(keys.length)];
                    RemoteCopy<String> copy = readOrNothing(cache, key);
                    assertThat(copy).isIn(null, copyOf(key));
                    found += copy == null ? 0 : 1;
                }
                return found;
            });
        }

        assertThat(answered).allSatisfy(found -> assertThat(found).isGreaterThan(250));
        assertThat(cache.unreadable().get("other_key")).isPositive();
        assertThatNothingLeaked(client);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello\r\n",
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "\0\0\0",
                "\r\n",
                "$-7\r\n",
                "$2147483647\r\n",
                "$99999999999999999999\r\n",
                "$4\r\nOK",
                "*2\r\n$1\r\na\r\n:1\r\n",
                "*2147483647\r\n",
                "%1073741824\r\n",
                "deep",
                ":1\r\n",
                "#t\r\n",
                ",nan\r\n",
                "+OK\r\n",
                "_\r\n",
                ">2\r\n$7\r\nmessage\r\n$1\r\na\r\n",
                "-\r\n",
                "-MOVED x\r\n",
                "-ASK\r\n",
                "-ERR Protocol error\r\n",
                "-LOADING Redis is loading the dataset in memory\r\n",
                "-MASTERDOWN Link with MASTER is down\r\n",
                "-NOSCRIPT\r\n",
            })
    void nonsense_and_errors_are_an_exception_or_a_miss_and_the_next_is_right(String text) throws Exception {
        String said = text.equals("deep") ? "*1\r\n".repeat(200_000) : text;
        RedisClient client = client(proxy.address(), 1, LIMIT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");

        proxy.set(Proxy.says(said));
        for (int round = 0; round < 2; round++) { // the second on a new connection, if the first one broke
            assertThat(readOrNothing(cache, "a")).isNull();
            assertThatThrownBy(() -> cache.write("a", copyOf("a"), KEPT)).isInstanceOf(Exception.class);
        }
        proxy.set(Proxy.passes());

        assertThatItIsRightAgain(cache);
        assertThatNothingLeaked(client);
    }

    // ---- a Redis that refuses ----

    @Test
    void a_full_redis_refuses_the_write_and_goes_on_reading() throws Exception {
        RedisClient client = client(server.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");

        server.run("CONFIG", "SET", "maxmemory", "1mb");
        try {
            assertThatThrownBy(() -> cache.write("b", copyOf("b"), KEPT))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageStartingWith("OOM");
            assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        } finally {
            server.run("CONFIG", "SET", "maxmemory", "0");
        }

        assertThat(cache.write("b", copyOf("b"), KEPT)).isTrue();
        assertThatNothingLeaked(client);
    }

    @Test
    void a_replica_refuses_the_write_and_goes_on_reading() throws Exception {
        RedisClient client = client(server.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        fill(cache, "a");

        server.run("REPLICAOF", "127.0.0.1", Integer.toString(RedisServer.freePort()));
        try {
            assertThatThrownBy(() -> cache.write("b", copyOf("b"), KEPT))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageStartingWith("READONLY");
            assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        } finally {
            server.run("REPLICAOF", "NO", "ONE");
        }

        assertThat(cache.write("b", copyOf("b"), KEPT)).isTrue();
        assertThatNothingLeaked(client);
    }

    @Test
    void a_user_needs_no_more_rights_than_the_page_says_and_with_fewer_is_refused() throws Exception {
        server.run("ACL", "SETUSER", "shop", "on", ">secret", "~degradable:*", "+get", "+set", "+eval", "+evalsha");
        RedisClient allowed = RedisClient.builder()
                .hostAndPort(server.address())
                .clientConfig(RedisCaches.clientConfig(PATIENT)
                        .user("shop")
                        .password("secret")
                        .build())
                .build();
        clients.add(allowed);
        RemoteCache<String, String> cache = cache(allowed);
        RemoteCache<String, String> elsewhere =
                RedisCaches.over(allowed).keyPrefix("other:").open(COPIES);

        assertThat(cache.write("a", copyOf("a"), KEPT)).isTrue();
        assertThat(cache.read("a")).isEqualTo(copyOf("a"));
        assertThatThrownBy(() -> elsewhere.read("a")).isInstanceOf(JedisAccessControlException.class);
        assertThatThrownBy(() -> elsewhere.write("a", copyOf("a"), KEPT)).isInstanceOf(JedisException.class);
        assertThatNothingLeaked(allowed);
    }

    @Test
    void a_codec_that_fails_does_so_before_anything_is_sent() throws Exception {
        RedisClient client = client(server.address(), 1, PATIENT);
        RemoteCache<String, String> cache = cache(client);
        String halfAPair = "\uD83D";
        long before = client.getPool().getBorrowedCount();

        assertThatThrownBy(() -> cache.read(halfAPair)).isInstanceOf(CharacterCodingException.class);
        assertThatThrownBy(() -> cache.write(halfAPair, copyOf("a"), KEPT))
                .isInstanceOf(CharacterCodingException.class);
        assertThatThrownBy(() -> cache.write("a", new RemoteCopy<>(halfAPair, STAMP), KEPT))
                .isInstanceOf(CharacterCodingException.class);

        assertThat(client.getPool().getBorrowedCount()).isEqualTo(before);
    }

    // ---- a Redis that ends, again and again ----

    @Test
    @DisplayName("B101: after 20 restarts under load no connection is missing from the pool, and borrowing works")
    void restarts_under_load_leak_no_connection() throws Exception {
        int connections = 4;
        int callers = 6;
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        try (RedisServer mortal = RedisServer.start()) {
            RedisClient client = client(mortal.address(), connections, PATIENT);
            RemoteCache<String, String> cache = cache(client);
            List<Caller<Integer>> load = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                int number = caller;
                load.add(Caller.calls(() -> {
                    int calls = 0;
                    while (!over.get()) {
                        String key = "key " + (number + calls++) % 10;
                        try {
                            cache.write(key, copyOf(key), KEPT);
                            assertThat(cache.read(key)).isIn(null, copyOf(key));
                            answered.incrementAndGet();
                        } catch (Exception trouble) {
                            failed.incrementAndGet();
                            Thread.onSpinWait();
                        }
                    }
                    return calls;
                }));
            }

            for (int restart = 0; restart < 20; restart++) {
                int before = answered.get();
                await().atMost(PATIENT).pollInterval(Duration.ofMillis(2)).until(() -> answered.get() > before + 20);
                mortal.kill();
                mortal.restart();
            }
            over.set(true);
            load.forEach(Caller::result);

            assertThat(failed).hasPositiveValue();
            assertThatNothingLeaked(client);
            for (int stale = 0; stale < connections; stale++) {
                readOrNothing(cache, "key 0"); // idle ones of the last life break when they are used
            }
            try (Race race = new Race(connections)) {
                race.round(caller -> cache.write("key " + caller, copyOf("key " + caller), KEPT));
            }
            assertThatNothingLeaked(client);
        }
    }
}
