package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.control.OverrideStore.Entry;
import io.degradable.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** What is kept of switches in a real Redis: the latest, whoever writes and in whatever order; and who hears of it. */
@Timeout(60)
@SuppressWarnings("try") // what is open while the body runs needs no mention in it
final class RedisSwitchesTest {

    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final long NOW = 1_796_000_000_123L;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.run("CONFIG", "SET", "maxmemory", "0");
        server.run("FLUSHALL");
    }

    private static RedisClient client(HostAndPort address, RedisProtocol protocol) {
        return RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(RedisCaches.clientConfig(LIMIT).protocol(protocol).build())
                .poolConfig(RedisCaches.poolConfig(1, LIMIT))
                .build();
    }

    private static RedisClient client() {
        return client(server.address(), RedisProtocol.RESP2);
    }

    @Test
    @DisplayName(
            "B140: what one instance saves reaches three others within two seconds, beside a pool of one connection")
    void what_is_saved_reaches_all() throws Exception {
        List<Ear> ears = List.of(new Ear(), new Ear(), new Ear());
        List<AutoCloseable> open = new ArrayList<>();
        try (RedisClient writer = client()) {
            for (int instance = 0; instance < ears.size(); instance++) {
                RedisClient client =
                        client(server.address(), instance == 0 ? RedisProtocol.RESP3 : RedisProtocol.RESP2);
                open.add(0, client);
                open.add(0, RedisSwitches.over(client).watch(ears.get(instance)::changed));
            }
            for (Ear ear : ears) {
                ear.awaitMoreThan(0, Ear.PATIENT);
            }
            List<Integer> before = ears.stream().map(Ear::changes).toList();

            RedisSwitches.over(writer).save(Map.of("command:GetProduct", new Entry(NOW, "2")));

            for (int instance = 0; instance < ears.size(); instance++) {
                ears.get(instance).awaitMoreThan(before.get(instance), Duration.ofSeconds(2));
            }
            assertThat(RedisSwitches.over((RedisClient) open.get(1)).load())
                    .isEqualTo(Map.of("command:GetProduct", new Entry(NOW, "2")));
        } finally {
            for (AutoCloseable one : open) {
                one.close();
            }
        }
    }

    @Test
    void an_older_entry_is_not_kept_and_nobody_is_told() throws Exception {
        try (RedisClient client = client()) {
            RedisSwitches switches = RedisSwitches.over(client).keyPrefix("quiet:");
            Ear ear = new Ear();
            switches.save(Map.of("all", new Entry(NOW, "b"), "group:catalog", new Entry(NOW, "kept")));
            try (AutoCloseable watching = switches.watch(ear::changed)) {
                ear.awaitMoreThan(0, Ear.PATIENT);

                switches.save(Map.of("all", new Entry(NOW - 1, "z")));
                switches.save(Map.of("all", new Entry(NOW, "a")));
                switches.save(Map.of("all", new Entry(NOW, "b")));
                switches.save(Map.of());
                switches.save(Map.of("all", new Entry(NOW, "c"), "group:catalog", new Entry(NOW - 1, "lost")));

                ear.awaitMoreThan(1, Ear.PATIENT);
            }
            assertThat(ear.changes()).isEqualTo(2); // one channel is in order: what came before the last would be heard
            assertThat(switches.load())
                    .isEqualTo(Map.of("all", new Entry(NOW, "c"), "group:catalog", new Entry(NOW, "kept")));
        }
    }

    @Test
    void of_saves_from_three_clients_at_once_the_greatest_is_kept_everywhere() throws Exception {
        Random random = new Random(14);
        int rounds = 60;
        List<List<Map<String, Entry>>> saves = new ArrayList<>();
        Map<String, Entry> greatest = new LinkedHashMap<>();
        for (int side = 0; side < 3; side++) {
            List<Map<String, Entry>> own = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                Map<String, Entry> several = new LinkedHashMap<>();
                for (int field = 0; field < 3; field++) {
                    String target = "command:C" + random.nextInt(8);
                    Entry entry = new Entry(NOW + random.nextInt(60), Integer.toString(random.nextInt(100)));
                    several.put(target, entry);
                }
                several.forEach((target, entry) -> greatest.merge(target, entry, RedisSwitchesTest::later));
                own.add(several);
            }
            saves.add(own);
        }
        try (RedisClient one = client();
                RedisClient two = client();
                RedisClient three = client();
                Race race = new Race(3)) {
            List<RedisSwitches> all =
                    List.of(RedisSwitches.over(one), RedisSwitches.over(two), RedisSwitches.over(three));

            race.round(side -> {
                for (Map<String, Entry> several : saves.get(side)) {
                    all.get(side).save(several);
                }
                return side;
            });

            for (RedisSwitches each : all) {
                assertThat(each.load()).isEqualTo(greatest);
            }
        }
    }

    private static Entry later(Entry one, Entry other) {
        boolean otherWins = other.stamp() > one.stamp()
                || (other.stamp() == one.stamp() && other.text().compareTo(one.text()) > 0);
        return otherWins ? other : one;
    }

    @Test
    void texts_come_back_as_they_were_and_are_ordered_as_java_orders_them() throws Exception {
        List<String> texts = new ArrayList<>(List.of(
                "",
                " ",
                "\n",
                "a\nb\r\n",
                "\"quoted\" 'too' \\n",
                "{\"by\":\"Zo\u00eb\"}",
                "1 2",
                "-1 x",
                "\0",
                "a\0b",
                "%d+",
                "\ud7ff",
                "\ue000",
                "\uffff",
                "\ud83d\ude00",
                "\ud83d\ude01",
                "\udbff\udfff",
                "a\ud83d\ude00",
                "a\ufb00",
                "z"));
        Random random = new Random(3);
        try (RedisClient client = client()) {
            RedisSwitches switches = RedisSwitches.over(client);
            for (int pair = 0; pair < 200; pair++) {
                String target = "command:\u00e4 " + pair;
                Entry one = new Entry(NOW, texts.get(random.nextInt(texts.size())));
                Entry other = new Entry(NOW, texts.get(random.nextInt(texts.size())));

                switches.save(Map.of(target, one));
                assertThat(switches.load()).containsEntry(target, one);
                switches.save(Map.of(target, other));

                assertThat(switches.load()).containsEntry(target, later(one, other));
            }
        }
    }

    @Test
    void what_is_no_entry_is_passed_over_and_overwritten() throws Exception {
        server.run(
                "HSET",
                "degradable:switches",
                "all",
                "9999999999999",
                "group:a",
                "soon x",
                "group:b",
                "",
                "group:c",
                "7 x");
        try (RedisClient client = client()) {
            RedisSwitches switches = RedisSwitches.over(client);

            assertThat(switches.load()).isEqualTo(Map.of("group:c", new Entry(7, "x")));
            switches.save(Map.of("all", new Entry(1, "1"), "group:a", new Entry(-1, "1"), "group:b", new Entry(0, "")));

            assertThat(switches.load())
                    .isEqualTo(Map.of(
                            "all", new Entry(1, "1"),
                            "group:a", new Entry(-1, "1"),
                            "group:b", new Entry(0, ""),
                            "group:c", new Entry(7, "x")));
            server.run("DEL", "degradable:switches");
            server.run("SET", "degradable:switches", "a text");
            assertThatThrownBy(switches::load).isInstanceOf(JedisException.class);
            assertThatThrownBy(() -> switches.save(Map.of("all", new Entry(1, "1"))))
                    .isInstanceOf(JedisException.class);
        }
    }

    @Test
    void a_reply_to_another_request_is_not_taken_for_a_save() throws Exception {
        try (Proxy proxy = new Proxy(server.address());
                RedisClient client = client(proxy.address(), RedisProtocol.RESP2)) {
            RedisSwitches switches = RedisSwitches.over(client);
            switches.save(Map.of("all", new Entry(NOW, "1")));
            proxy.set(Proxy.repeats());
            switches.save(Map.of("all", new Entry(NOW + 1, "1"))); // its reply comes twice
            proxy.set(Proxy.passes());
            server.run("CONFIG", "SET", "maxmemory", "1");

            assertThatThrownBy(() -> switches.save(Map.of("all", new Entry(NOW + 2, "1"))))
                    .hasMessageContaining("OOM"); // and not: kept

            server.run("CONFIG", "SET", "maxmemory", "0");
            assertThat(switches.load()).isEqualTo(Map.of("all", new Entry(NOW + 1, "1")));
        }
    }

    @Test
    void the_rights_that_the_documentation_names_are_enough() throws Exception {
        String rights = "+eval +hgetall +hget +hset +hdel +publish +subscribe ~degradable:* &degradable:*";
        server.run("ACL", ("SETUSER shop on >secret resetchannels -@all " + rights).split(" "));
        try (RedisClient client = RedisClient.builder()
                .hostAndPort(server.address())
                .clientConfig(RedisCaches.clientConfig(LIMIT)
                        .user("shop")
                        .password("secret")
                        .build())
                .build()) {
            Ear ear = new Ear();
            RedisSettings settings = RedisSettings.over(client);
            try (AutoCloseable switches = RedisSwitches.over(client).watch(ear::changed);
                    AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(1, Ear.PATIENT);

                RedisSwitches.over(client).save(Map.of("all", new Entry(NOW, "2")));
                settings.set("degradable.name", "text");
                settings.remove("degradable.name");

                ear.awaitMoreThan(4, Ear.PATIENT);
                assertThat(RedisSwitches.over(client).load()).hasSize(1);
                assertThat(settings.read()).isEmpty();
                assertThat(ear.failures()).isEmpty();
            }
        } finally {
            server.run("ACL", "DELUSER", "shop");
        }
    }

    @Test
    void one_prefix_does_not_see_the_switches_of_another() throws Exception {
        try (RedisClient client = client()) {
            RedisSwitches ours = RedisSwitches.over(client).keyPrefix("ours:");
            ours.save(Map.of("all", new Entry(NOW, "2")));

            assertThat(RedisSwitches.over(client).load()).isEmpty();
            assertThat(ours.load()).hasSize(1);
            assertThat(server.text("HGET", "ours:switches", "all")).isEqualTo(NOW + " 2");
            assertThat(ours.name()).isEqualTo("redis");
        }
    }

    @Test
    @SuppressWarnings("deprecation") // of Jedis: it is what a user may still hold
    void a_client_that_cannot_listen_is_refused_at_once() {
        try (UnifiedJedis plain = new UnifiedJedis(new Connection(server.address())) {}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisSwitches.over(plain))
                    .withMessageContaining("must be a RedisClient")
                    .withMessageContaining("RedisSwitchesTest$");
        }
    }
}
