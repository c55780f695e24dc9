package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** Settings of a fleet in a real Redis, changed by the library and by two lines of {@code redis-cli}. */
@Timeout(60)
@SuppressWarnings("try") // what is open while the body runs needs no mention in it
final class RedisSettingsTest {

    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final String TIMEOUT = "degradable.command.GetProduct.timeout";

    private static RedisClient client(HostAndPort address) {
        return RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                .poolConfig(RedisCaches.poolConfig(2, LIMIT))
                .build();
    }

    @Test
    void what_is_set_and_removed_is_read_and_heard_by_another_instance() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient ours = client(server.address());
                RedisClient theirs = client(server.address())) {
            RedisSettings here = RedisSettings.over(ours).key("shop:settings");
            RedisSettings there = RedisSettings.over(theirs).key("shop:settings");
            Ear ear = new Ear();
            String odd = "two\nlines, \"quoted\" \u00e4\ud83d\ude00\0";
            try (AutoCloseable watching = there.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);

                here.set(TIMEOUT, "150 ms");
                here.set("degradable.odd", odd);

                ear.awaitMoreThan(2, Duration.ofSeconds(2));
                assertThat(there.read()).isEqualTo(Map.of(TIMEOUT, "150 ms", "degradable.odd", odd));

                here.remove(TIMEOUT);

                ear.awaitMoreThan(3, Duration.ofSeconds(2));
                assertThat(there.read()).isEqualTo(Map.of("degradable.odd", odd));
                assertThat(RedisSettings.over(theirs).read()).isEmpty();
                assertThat(here.name()).isEqualTo("redis");
            }
        }
    }

    @Test
    void the_two_lines_of_the_documentation_do_it() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings settings = RedisSettings.over(client);
            Ear ear = new Ear();
            try (AutoCloseable watching = settings.watch(ear)) {
                ear.awaitMoreThan(0, Ear.PATIENT);

                redisCli(server, "HSET", RedisSettings.DEFAULT_KEY, TIMEOUT, "150 ms");
                redisCli(server, "PUBLISH", RedisSettings.DEFAULT_KEY, "changed");

                ear.awaitMoreThan(1, Duration.ofSeconds(2));
                assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "150 ms"));
            }
        }
    }

    private static void redisCli(RedisServer server, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("redis-cli", "-p", Integer.toString(server.address().getPort())));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void what_cannot_be_read_or_set_is_said() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = client(server.address())) {
            RedisSettings settings = RedisSettings.over(client);
            settings.set(TIMEOUT, "150 ms");

            server.freeze();

            assertThatThrownBy(settings::read).isInstanceOf(JedisException.class);
            assertThatThrownBy(() -> settings.set(TIMEOUT, "1 s")).isInstanceOf(JedisException.class);
            server.thaw();
            server.kill();
            assertThatThrownBy(settings::read).isInstanceOf(JedisException.class);
            assertThatThrownBy(() -> settings.remove(TIMEOUT)).isInstanceOf(JedisException.class);
        }
    }
}
