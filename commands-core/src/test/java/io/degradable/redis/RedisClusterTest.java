package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;
import redis.clients.jedis.util.Pool;

/** Copies in a cluster: each key on the node of its slot, script included, and what is left when one node is lost. */
@Timeout(60)
final class RedisClusterTest {

    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").stored(Codec.strings(), Codec.strings());
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final long STAMP = 1_796_000_000_123_456_789L;
    private static final int KEYS = 600;

    private static RemoteCopy<String> copyOf(String key) {
        return new RemoteCopy<>("of " + key, STAMP);
    }

    private static List<String> keys() {
        List<String> keys = new ArrayList<>(List.of("{", "}", "{}", "}{", "{a}b", "a{b}c", "{{a}}"));
        for (int key = 0; key < KEYS; key++) {
            keys.add("key " + key);
        }
        return keys;
    }

    @Test
    void all_nodes_share_the_copies_and_the_loss_of_one_costs_its_own_only() throws Exception {
        try (RedisCluster cluster = RedisCluster.start();
                RedisClusterClient client = RedisClusterClient.builder()
                        .nodes(cluster.addresses())
                        .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                        .poolConfig(RedisCaches.poolConfig(4, LIMIT))
                        .maxAttempts(2)
                        .maxTotalRetriesDuration(LIMIT)
                        .build()) {
            RemoteCache<String, String> cache = RedisCaches.over(client).open(COPIES);
            for (String key : keys()) {
                assertThat(cache.write(key, copyOf(key), KEPT)).isTrue();
                assertThat(cache.write(key, new RemoteCopy<>("older", STAMP - 1), KEPT))
                        .isFalse();
            }
            for (String key : keys()) {
                assertThat(cache.read(key)).isEqualTo(copyOf(key));
            }
            for (int node = 0; node < RedisCluster.NODES; node++) {
                assertThat((Long) cluster.node(node).run("DBSIZE")).isGreaterThan(KEYS / 6);
            }

            int lost = 1;
            Set<String> there = new HashSet<>();
            Set<String> gone = new HashSet<>();
            for (String key : keys()) {
                (nodeOf(key) == lost ? gone : there).add(key);
            }
            cluster.node(lost).kill();

            for (String key : List.copyOf(gone).subList(0, 5)) {
                long start = System.nanoTime();
                assertThatThrownBy(() -> cache.read(key)).isInstanceOf(JedisException.class);
                assertThatThrownBy(() -> cache.write(key, copyOf(key), KEPT)).isInstanceOf(JedisException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT.multipliedBy(10));
            }
            for (String key : there) {
                assertThat(cache.read(key)).isEqualTo(copyOf(key));
                assertThat(cache.write(key, copyOf(key), KEPT)).isTrue();
            }
            assertThat(client.getClusterNodes().values())
                    .extracting(Pool::getNumActive)
                    .containsOnly(0);
        }
    }

    private static int nodeOf(String key) {
        int slot = JedisClusterCRC16.getSlot("degradable:copies:" + key);
        return (int) ((slot + 1) * (long) RedisCluster.NODES - 1) / 16_384;
    }
}
