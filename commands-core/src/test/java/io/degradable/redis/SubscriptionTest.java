package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.control.OverrideStore.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;

/** Who listens hears again after whatever happened to Redis, is told of each outage once, and is gone when it is closed. */
@Timeout(120)
@SuppressWarnings("try") // what is open while the body runs needs no mention in it
final class SubscriptionTest {

    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);
    private static final long NOW = 1_796_000_000_123L;

    private static RedisClient client(HostAndPort address) {
        return RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                .poolConfig(RedisCaches.poolConfig(2, LIMIT))
                .build();
    }

    private static long listeners(RedisServer server, String channel) {
        return (Long) ((List<?>) server.run("PUBSUB", "NUMSUB", channel)).get(1);
    }

    /** From now on. */
    private static void hearsWhatIsSet(RedisSettings settings, Ear ear, String text) throws Exception {
        int before = ear.changes();
        settings.set("degradable.name", text);
        ear.awaitMoreThan(before, Duration.ofSeconds(2));
        assertThat(settings.read()).containsEntry("degradable.name", text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("B140: Redis is killed and comes back, with and without its data")
    void hears_again_after_redis_was_killed(boolean itsDataIsKept) throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "before");
                if (itsDataIsKept) {
                    server.run("SAVE");
                }

                server.kill();
                ear.awaitFailure();
                int before = ear.changes();
                server.restart();

                ear.awaitMoreThan(
                        before, Duration.ofSeconds(10)); // nothing was published: what was missed has to be read
                assertThat(settings.read()).isEqualTo(itsDataIsKept ? Map.of("degradable.name", "before") : Map.of());
                hearsWhatIsSet(settings, ear, "after");
                assertThat(ear.failures()).hasSize(1);

                server.kill();
                await().atMost(Ear.PATIENT).until(() -> ear.failures().size() == 2);
            }
        }
    }

    /** Everything else is answered, the handshake too. */
    private static Proxy.Fault swallowsSubscribe() {
        return (reply, client) -> {
            if (!new String(reply, StandardCharsets.ISO_8859_1).contains("subscribe")) {
                client.write(reply);
            }
        };
    }

    @Test
    @DisplayName(
            "B140: a server that is frozen, and so says no word of leaving, is given up, and heard when it goes on")
    void a_silent_server_is_given_up() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);

                server.freeze();
                ear.awaitFailure();
                int before = ear.changes();
                server.thaw();

                ear.awaitMoreThan(before, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "after");
                assertThat(ear.failures()).hasSize(1);
            } finally {
                server.thaw();
            }
        }
    }

    @Test
    void one_that_never_says_that_it_listens_is_given_up() throws Exception {
        try (RedisServer server = RedisServer.start();
                Proxy proxy = new Proxy(server.address());
                RedisClient client = client(proxy.address())) {
            proxy.set(swallowsSubscribe());
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitFailure();
                assertThat(ear.changes()).isZero();
                proxy.set(Proxy.passes());

                ear.awaitMoreThan(0, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "after");
                assertThat(ear.failures()).hasSize(1);
            }
        }
    }

    @Test
    void a_connection_on_which_nothing_happens_is_kept() throws Exception {
        Duration longerThanSilence = Subscription.ASK_PERIOD.multipliedBy(Subscription.SILENT_PERIODS + 1);
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            Ear ear = new Ear();
            try (AutoCloseable watching = RedisSettings.over(client).watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);

                await().during(longerThanSilence).atMost(Ear.PATIENT).until(() -> ear.changes() == 1);

                assertThat(ear.failures()).isEmpty();
                assertThat(listeners(server, RedisSettings.DEFAULT_KEY)).isEqualTo(1);
            }
            await().atMost(Ear.PATIENT).until(() -> listeners(server, RedisSettings.DEFAULT_KEY) == 0);
        }
    }

    @Test
    void one_that_throws_everybody_out_is_told_once_for_each_outage_and_asked_more_and_more_seldom() throws Exception {
        try (RedisServer server = RedisServer.start();
                Proxy proxy = new Proxy(server.address());
                RedisClient client = client(proxy.address())) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            proxy.refuse();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitFailure();
                proxy.set(Proxy.cutsAfter(3));
                proxy.accept();

                await().during(Duration.ofSeconds(3))
                        .atMost(Ear.PATIENT)
                        .until(() -> ear.failures().size() == 1);
                long tried = Long.parseLong(server.text("INFO", "stats")
                        .lines()
                        .filter(line -> line.startsWith("total_connections_received:"))
                        .map(line -> line.substring(line.indexOf(':') + 1))
                        .findFirst()
                        .orElseThrow());
                proxy.set(Proxy.passes());

                assertThat(tried).isLessThan(12);
                ear.awaitMoreThan(0, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "after");
            }
        }
    }

    @Test
    void one_who_throws_when_told_is_told_again_and_no_connection_is_lost() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear() {
                @Override
                public void changed() {
                    super.changed();
                    throw new IllegalStateException("thrown on purpose by a watcher");
                }
            };
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "one");
                hearsWhatIsSet(settings, ear, "two");
            }
            assertThat(ear.failures()).isEmpty();
            assertThat(ear.changes()).isEqualTo(3);
        }
    }

    // ---- closed in each state ----

    private static void endsWithinASecond(String key, AutoCloseable watching) throws Exception {
        assertThat(Ear.threads(key)).contains("degradable-listen " + key);
        long start = System.nanoTime();

        watching.close();
        watching.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ONE_SECOND);
        await().atMost(ONE_SECOND)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> Ear.threads(key).isEmpty());
    }

    @Test
    @DisplayName("B142: closed while it listens, before and after the server froze")
    void ends_while_it_listens() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings quiet = RedisSettings.over(client).key("closed:listening");
            RedisSettings frozen = RedisSettings.over(client).key("closed:frozen");
            Ear ear = new Ear();
            AutoCloseable one = quiet.watch(ear);
            AutoCloseable other = frozen.watch(ear);
            ear.awaitMoreThan(1, Ear.PATIENT);

            endsWithinASecond("closed:listening", one);
            server.freeze();
            endsWithinASecond("closed:frozen", other);
            server.thaw();

            assertThat(ear.failures()).isEmpty(); // it is no outage to be closed
            assertThat(ear.changes()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("B142: closed while the server has let it in and says nothing")
    void ends_while_the_server_says_nothing() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            server.freeze();
            Ear ear = new Ear();
            AutoCloseable watching =
                    RedisSettings.over(client).key("closed:unanswered").watch(ear);
            await().atMost(Ear.PATIENT).until(() -> isReading("closed:unanswered"));

            endsWithinASecond("closed:unanswered", watching);
            server.thaw();

            assertThat(ear.changes()).isZero();
        }
    }

    @Test
    @DisplayName("B142: closed while it waits for the word that it is subscribed")
    void ends_while_it_waits_to_be_subscribed() throws Exception {
        try (RedisServer server = RedisServer.start();
                Proxy proxy = new Proxy(server.address());
                RedisClient client = client(proxy.address())) {
            proxy.set(swallowsSubscribe());
            Ear ear = new Ear();
            AutoCloseable watching =
                    RedisSettings.over(client).key("closed:unsubscribed").watch(ear);
            await().atMost(Ear.PATIENT).until(() -> listeners(server, "closed:unsubscribed") == 1);

            endsWithinASecond("closed:unsubscribed", watching);

            assertThat(ear.changes()).isZero();
        }
    }

    private static boolean isReading(String key) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().equals("degradable-listen " + key))
                .anyMatch(entry -> Arrays.stream(entry.getValue())
                        .anyMatch(frame -> frame.getMethodName().equals("read")));
    }

    @Test
    @DisplayName("B142: closed while nobody answers the connecting, from the start")
    void ends_in_a_black_hole() throws Exception {
        try (BlackHole hole = new BlackHole();
                RedisClient client = client(hole.address())) {
            Ear ear = new Ear();
            AutoCloseable watching =
                    RedisSettings.over(client).key("closed:hole").watch(ear);
            ear.awaitFailure();
            await().atMost(Ear.PATIENT).until(() -> isConnecting("closed:hole"));

            endsWithinASecond("closed:hole", watching);

            assertThat(ear.failures()).hasSize(1);
            assertThat(ear.changes()).isZero();
        }
    }

    private static boolean isConnecting(String key) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().equals("degradable-listen " + key))
                .anyMatch(entry -> Arrays.stream(entry.getValue())
                        .anyMatch(frame -> frame.getMethodName().equals("connect")));
    }

    @Test
    @DisplayName("B142: closed between two attempts")
    void ends_while_it_pauses() throws Exception {
        try (RedisClient client = client(new HostAndPort("127.0.0.1", RedisServer.freePort()))) {
            Ear ear = new Ear();
            AutoCloseable watching =
                    RedisSettings.over(client).key("closed:pausing").watch(ear);
            ear.awaitFailure();
            // 0.1 + 0.2 + 0.4 + 0.8 + 1.6 s are over, and the next pause takes 3.2 s.
            await().during(Duration.ofMillis(3300)).atMost(Ear.PATIENT).until(() -> ear.changes() == 0);

            endsWithinASecond("closed:pausing", watching);

            assertThat(ear.failures()).hasSize(1);
        }
    }

    // ---- other clients ----

    @Test
    void in_a_cluster_all_hear_and_go_on_when_the_node_of_the_key_is_lost() throws Exception {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = RedisClusterClient.builder()
                        .nodes(cluster.addresses())
                        .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                        .poolConfig(RedisCaches.poolConfig(2, LIMIT))
                        .maxAttempts(2)
                        .maxTotalRetriesDuration(LIMIT)
                        .build()) {
            RedisSwitches switches = RedisSwitches.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = switches.watch(ear::changed)) {
                ear.awaitMoreThan(0, Ear.PATIENT);
                int node = listener(cluster);

                switches.save(Map.of("all", new Entry(NOW, "2")));

                ear.awaitMoreThan(1, Duration.ofSeconds(2));
                assertThat(switches.load()).isEqualTo(Map.of("all", new Entry(NOW, "2")));
                assertThat(cluster.node(node).run("EXISTS", "degradable:switches"))
                        .isEqualTo(1L);

                cluster.node(node).kill();

                ear.awaitMoreThan(2, Ear.PATIENT);
                int other = (node + 1) % RedisCluster.NODES;
                int before = ear.changes();
                cluster.node(other).run("PUBLISH", "degradable:switches", "by hand");
                ear.awaitMoreThan(before, Duration.ofSeconds(2));
            }
        }
    }

    private static int listener(RedisCluster cluster) {
        for (int node = 0; node < RedisCluster.NODES; node++) {
            if (listeners(cluster.node(node), "degradable:switches") == 1) {
                return node;
            }
        }
        throw new AssertionError("nobody listens");
    }

    @Test
    void under_sentinel_what_the_new_master_is_told_is_heard() throws Exception {
        try (RedisSentinels sentinels = new RedisSentinels();
                RedisSentinelClient client = RedisSentinelClient.builder()
                        .masterName(RedisSentinels.MASTER)
                        .sentinels(sentinels.addresses())
                        .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                        .poolConfig(RedisCaches.poolConfig(2, LIMIT))
                        .build()) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);
                hearsWhatIsSet(settings, ear, "before");

                sentinels.master().kill();

                await().atMost(Ear.PATIENT)
                        .until(() -> client.getCurrentMaster()
                                .equals(sentinels.replica().address()));
                await().atMost(Ear.PATIENT).until(() -> listeners(sentinels.replica(), RedisSettings.DEFAULT_KEY) == 1);
                hearsWhatIsSet(settings, ear, "after");
                assertThat(ear.failures()).hasSize(1);
            }
        }
    }
}
