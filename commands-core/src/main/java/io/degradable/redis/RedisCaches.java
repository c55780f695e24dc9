package io.degradable.redis;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCaches;
import io.degradable.settings.Require;
import io.degradable.time.Spans;
import java.time.Duration;
import java.util.Objects;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.UnifiedJedis;

/**
 * Keeps the copies of {@linkplain CacheSpec#stored stored} caches in Redis, over a client of Jedis: a single server,
 * Sentinel or a cluster. The client, its TLS, its user and its pool are the application's, and so is closing it; nothing here
 * connects before the first copy is read or written.
 *
 * <pre>{@code
 * Duration limit = Duration.ofMillis(50);
 * RedisClient client = RedisClient.builder()
 *         .hostAndPort("redis.internal", 6379)
 *         .clientConfig(RedisCaches.clientConfig(limit).ssl(true).user("shop").password(secret).build())
 *         .poolConfig(RedisCaches.poolConfig(12, limit))
 *         .build();
 * Commands commands = Commands.builder().caches(RedisCaches.over(client)).build();
 * }</pre>
 *
 * <p>Threading: immutable; every method may be called from any thread.
 */
public final class RedisCaches implements RemoteCaches {

    /** What keys in Redis begin with unless something else is said. */
    public static final String DEFAULT_KEY_PREFIX = "degradable:";

    private final UnifiedJedis client;
    private final String keyPrefix;

    private RedisCaches(UnifiedJedis client, String keyPrefix) {
        this.client = client;
        this.keyPrefix = keyPrefix;
    }

    /** Over a client of the application, which it closes itself, after the container. */
    public static RedisCaches over(UnifiedJedis client) {
        return new RedisCaches(Objects.requireNonNull(client, "client must not be null"), DEFAULT_KEY_PREFIX);
    }

    /**
     * The same with other keys: applications that share one Redis, and not their copies, have a prefix each. Default
     * {@code degradable:}; the name of the cache, a colon and the key follow it. A key pre-processor of the client is not
     * asked.
     */
    public RedisCaches keyPrefix(String prefix) {
        return new RedisCaches(client, Objects.requireNonNull(prefix, "keyPrefix must not be null"));
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public <K, V> RemoteCache<K, V> open(CacheSpec<K, V> spec) {
        String advice = "say stored(...) of the cache";
        Codec<K> keys = Require.notNull("codec for the keys of cache " + spec.name(), spec.keys(), advice);
        Codec<V> values = Require.notNull("codec for the copies of cache " + spec.name(), spec.values(), advice);
        return new RedisCache<>(client, keyPrefix, spec.name(), keys, values);
    }

    /**
     * A configuration of Jedis, to be completed with user, TLS and the like, under which a thread that nobody waits for any
     * more is free again soon. Jedis has no limit for a whole command: this one holds for connecting and for each wait for
     * bytes of a reply. On an open connection that is one limit for a Redis that hangs; a new connection takes one for
     * connecting and one for each reply of the handshake, too.
     *
     * @param limit 1 ms or more; best that of the cache stage
     */
    public static DefaultJedisClientConfig.Builder clientConfig(Duration limit) {
        return DefaultJedisClientConfig.builder()
                .timeoutMillis(millis(limit))
                // What the library is called is told at each connecting, which takes a round trip more.
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
    }

    /**
     * A pool of Jedis in which nobody waits for a connection for longer than the limit, and none is tried out before it is
     * lent: that would be a second round trip. One that broke is noticed when it is used, and idle ones are tried out in the
     * background.
     *
     * @param connections to each server at once, 1 or more: a container reads with 8 threads and writes with some more
     * @param limit how long a thread waits for a free one, 1 ms or more
     */
    public static ConnectionPoolConfig poolConfig(int connections, Duration limit) {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(Require.positive("connections", connections));
        config.setMaxIdle(connections);
        config.setMaxWait(Duration.ofMillis(millis(limit)));
        config.setTestOnBorrow(false);
        return config;
    }

    /** Rounded up: zero means no limit to Jedis. */
    private static int millis(Duration limit) {
        long nanos = Spans.nanos(Require.positive("limit", limit));
        return (int) Math.min(Integer.MAX_VALUE, (nanos + 999_999) / 1_000_000);
    }
}
