package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** How caches in Redis are declared, without a Redis. */
@Timeout(60)
final class RedisCachesTest {

    @ParameterizedTest
    @CsvSource({"PT0.05S, 50", "PT0.0000001S, 1", "PT0.0010001S, 2", "PT1000000H, 2147483647"})
    void a_limit_is_never_none(Duration limit, int millis) {
        DefaultJedisClientConfig client = RedisCaches.clientConfig(limit).build();
        ConnectionPoolConfig pool = RedisCaches.poolConfig(12, limit);

        assertThat(client.getConnectionTimeoutMillis()).isEqualTo(millis);
        assertThat(client.getSocketTimeoutMillis()).isEqualTo(millis);
        assertThat(pool.getMaxWaitDuration()).isEqualTo(Duration.ofMillis(millis));
        assertThat(pool.getMaxTotal()).isEqualTo(12);
        assertThat(pool.getMaxIdle()).isEqualTo(12);
        assertThat(pool.getTestOnBorrow()).isFalse();
        assertThat(pool.getBlockWhenExhausted()).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway") // what a careless caller does
    void what_cannot_be_is_refused_with_its_value() {
        assertThatThrownBy(() -> RedisCaches.clientConfig(Duration.ZERO))
                .hasMessageContaining("limit must be positive, was 0 ms");
        assertThatThrownBy(() -> RedisCaches.poolConfig(0, Duration.ofMillis(50)))
                .hasMessageContaining("connections must be positive, was 0");
        assertThatThrownBy(() -> RedisCaches.over(null)).hasMessageContaining("client");
    }

    @Test
    @SuppressWarnings("NullAway") // as above
    void opening_asks_nobody_and_wants_to_know_the_forms() throws Exception {
        // Nobody listens there, and a client that asked would say so.
        try (BlackHole hole = new BlackHole();
                RedisClient client = RedisClient.builder()
                        .hostAndPort(hole.address())
                        .clientConfig(
                                RedisCaches.clientConfig(Duration.ofMillis(50)).build())
                        .build()) {
            RedisCaches caches = RedisCaches.over(client);
            long before = client.getPool().getBorrowedCount();

            assertThat(caches.name()).isEqualTo("redis");
            assertThat(caches.open(CacheSpec.<String, String>named("a").stored(Codec.strings(), Codec.strings()))
                            .unreadable())
                    .containsOnlyKeys(
                            "foreign", "newer", "truncated", "corrupt", "other_key", "other_form", "undecodable")
                    .allSatisfy((reason, count) -> assertThat(count).isZero());
            assertThatThrownBy(() -> caches.open(CacheSpec.<String, String>named("plain")))
                    .hasMessageContaining("codec for the keys of cache plain is missing: say stored(...) of the cache");
            assertThatThrownBy(() -> caches.keyPrefix(null)).hasMessageContaining("keyPrefix");
            assertThat(client.getPool().getBorrowedCount()).isEqualTo(before);
        }
    }
}
