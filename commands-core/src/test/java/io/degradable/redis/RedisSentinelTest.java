package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCopy;
import io.degradable.testing.Caller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.util.Pool;

/** Copies in a Redis that Sentinel watches: before, while and after the master changes. */
@Timeout(60)
final class RedisSentinelTest {

    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").stored(Codec.strings(), Codec.strings());
    private static final Duration KEPT = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final Duration PATIENT = Duration.ofSeconds(30);
    private static final long STAMP = 1_796_000_000_123_456_789L;

    private static RemoteCopy<String> copyOf(String key) {
        return new RemoteCopy<>("of " + key, STAMP);
    }

    @Test
    void a_change_of_the_master_is_exceptions_for_a_while_and_never_wrong_data() throws Exception {
        try (RedisSentinels sentinels = new RedisSentinels();
                RedisSentinelClient client = RedisSentinelClient.builder()
                        .masterName(RedisSentinels.MASTER)
                        .sentinels(sentinels.addresses())
                        .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                        .poolConfig(RedisCaches.poolConfig(4, LIMIT))
                        .build()) {
            RemoteCache<String, String> cache = RedisCaches.over(client).open(COPIES);
            for (int key = 0; key < 20; key++) {
                assertThat(cache.write("key " + key, copyOf("key " + key), KEPT))
                        .isTrue();
            }
            await().atMost(PATIENT)
                    .until(() -> sentinels.replica().run("DBSIZE").equals(20L));
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger failed = new AtomicInteger();
            AtomicInteger answered = new AtomicInteger();
            Caller<Integer> load = Caller.calls(() -> {
                int calls = 0;
                while (!over.get()) {
                    String key = "key " + calls++ % 20;
                    try {
                        assertThat(cache.read(key)).isEqualTo(copyOf(key));
                        cache.write(key, copyOf(key), KEPT);
                        answered.incrementAndGet();
                    } catch (Exception trouble) {
                        failed.incrementAndGet();
                    }
                }
                return calls;
            });
            await().atMost(PATIENT).until(() -> answered.get() > 20);

            sentinels.master().kill();

            await().atMost(PATIENT)
                    .until(() ->
                            client.getCurrentMaster().equals(sentinels.replica().address()));
            int before = answered.get();
            await().atMost(PATIENT).until(() -> answered.get() > before + 20);
            over.set(true);
            load.result();
            assertThat(failed).hasPositiveValue();
            assertThat(client.getPrimaryNodesConnectionMap().values())
                    .extracting(Pool::getNumActive)
                    .containsOnly(0);
        }
    }
}
