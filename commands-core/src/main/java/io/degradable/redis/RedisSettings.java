package io.degradable.redis;

import io.degradable.settings.SettingSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import redis.clients.jedis.UnifiedJedis;

/**
 * Settings of a whole fleet in Redis, in one hash whose fields are property names and whose values are texts. A change reaches
 * everybody at once, since it is announced on a channel that is named as the hash is. {@link #set} does both, and so do two
 * lines:
 *
 * <pre>
 * redis-cli HSET degradable:settings degradable.command.GetProduct.timeout "150 ms"
 * redis-cli PUBLISH degradable:settings changed
 * </pre>
 *
 * <p>The client is the application's, which closes it after the container: a {@code RedisClient}, {@code
 * RedisSentinelClient} or {@code RedisClusterClient}. Each {@link #watch} has a connection of its own beside the client's
 * pool, and two daemon threads.
 *
 * <p>Threading: immutable; every method may be called from any thread.
 */
public final class RedisSettings implements SettingSource {

    /** The key of the hash unless something else is said. */
    public static final String DEFAULT_KEY = "degradable:settings";

    private static final String SET = """
            redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
            redis.call('PUBLISH', KEYS[1], ARGV[2])
            return ARGV[1]
            """;

    private static final String REMOVE = """
            redis.call('HDEL', KEYS[1], ARGV[2])
            redis.call('PUBLISH', KEYS[1], ARGV[2])
            return ARGV[1]
            """;

    private final SharedHash hash;

    private RedisSettings(UnifiedJedis client, String key) {
        this.hash = new SharedHash(client, key);
    }

    /**
     * Over a client of the application, which it closes itself, after the container.
     *
     * @throws IllegalArgumentException when it is none of a single server, Sentinel or a cluster
     */
    public static RedisSettings over(UnifiedJedis client) {
        return new RedisSettings(client, DEFAULT_KEY);
    }

    /** The same with another hash. Not empty; default {@code degradable:settings}. */
    public RedisSettings key(String key) {
        return new RedisSettings(hash.client(), key);
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Map<String, String> read() throws Exception {
        return hash.read();
    }

    /**
     * Sets a property and announces it. The text is not looked at here: who reads it parses it.
     *
     * @throws Exception when it may not have been set; to set it again does no harm
     */
    public void set(String name, String text) throws Exception {
        Objects.requireNonNull(text, "text must not be null");
        hash.run(SET, List.of(Objects.requireNonNull(name, "name must not be null"), text));
    }

    /**
     * Removes a property and announces it, even when there is none.
     *
     * @throws Exception when it may still be there; to remove it again does no harm
     */
    public void remove(String name) throws Exception {
        hash.run(REMOVE, List.of(Objects.requireNonNull(name, "name must not be null")));
    }

    /**
     * {@inheritDoc}
     *
     * <p>A change is told as soon as Redis can be reached, for the first time and after each outage; an outage is told once,
     * when it begins. Meanwhile it tries again for ever, after 0.1 s and then more and more seldom, up to 5 s; that a server is
     * gone without a word is noticed after 6 s at most.
     */
    @Override
    public AutoCloseable watch(Watcher watcher) {
        Objects.requireNonNull(watcher, "watcher must not be null");
        return hash.watch(watcher::changed, watcher::failed);
    }
}
