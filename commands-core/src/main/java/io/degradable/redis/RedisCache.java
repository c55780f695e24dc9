package io.degradable.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.degradable.cache.Codec;
import io.degradable.cache.RemoteCache;
import io.degradable.cache.RemoteCopy;
import io.degradable.time.Spans;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The copies of one cache in Redis, each under a key of its own and in an {@link Envelope}. It has no time limit of its own:
 * those of the client hold, and around them the container's.
 *
 * <p>Threading: as {@link RemoteCache} says; the client is shared.
 */
final class RedisCache<K, V> implements RemoteCache<K, V> {

    private final UnifiedJedis client;
    private final byte[] prefix;
    private final Envelope envelope;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final Map<Unreadable, LongAdder> unreadable = counters();

    RedisCache(UnifiedJedis client, String keyPrefix, String name, Codec<K> keys, Codec<V> values) {
        this.client = client;
        this.prefix = (keyPrefix + name + ":").getBytes(UTF_8);
        this.envelope = new Envelope(name, keys.name() + " -> " + values.name());
        this.keys = keys;
        this.values = values;
    }

    private static Map<Unreadable, LongAdder> counters() {
        Map<Unreadable, LongAdder> counters = new LinkedHashMap<>();
        for (Unreadable reason : Unreadable.values()) {
            counters.put(reason, new LongAdder());
        }
        return Collections.unmodifiableMap(counters);
    }

    @Override
    public @Nullable RemoteCopy<V> read(K key) throws Exception {
        byte[] encoded = keys.encode(key);
        CommandArguments request = new CommandArguments(Command.GET).key(keyInRedis(encoded));
        byte[] reply;
        try {
            reply = Exchange.ask(client, request, found -> envelope.answers(encoded, found));
        } catch (JedisDataException refused) {
            if (String.valueOf(refused.getMessage()).startsWith("WRONGTYPE")) {
                return missed(Unreadable.FOREIGN); // a list, a hash: it lies there as any other garbage does
            }
            throw refused;
        }
        return reply == null ? null : read(envelope.open(encoded, reply));
    }

    private @Nullable RemoteCopy<V> read(Envelope.Opened opened) {
        if (opened.unreadable() != null) {
            return missed(opened.unreadable());
        }
        byte[] bytes = opened.value();
        if (bytes == null) {
            return new RemoteCopy<>(null, opened.stampEpochNanos());
        }
        try {
            V value = values.decode(bytes);
            if (value != null) { // else it would be taken for the mark of an invalidation
                return new RemoteCopy<>(value, opened.stampEpochNanos());
            }
        } catch (Exception undecodable) {
            // Counted below: the message of a codec may hold the data of a customer.
        }
        return missed(Unreadable.UNDECODABLE);
    }

    private @Nullable RemoteCopy<V> missed(Unreadable reason) {
        counter(reason).increment();
        return null;
    }

    @Override
    public boolean write(K key, RemoteCopy<V> copy, Duration expiry) throws Exception {
        byte[] encoded = keys.encode(key);
        V value = copy.value();
        byte[] sealed = envelope.seal(encoded, value == null ? null : values.encode(value), copy.stampEpochNanos());
        return KeepYoungest.offer(client, keyInRedis(encoded), sealed, millis(expiry));
    }

    /** Redis counts in milliseconds, and refuses less than one. */
    private static long millis(Duration expiry) {
        return Math.max(1, Spans.nanos(expiry) / 1_000_000);
    }

    private byte[] keyInRedis(byte[] encoded) {
        return ByteBuffer.allocate(prefix.length + encoded.length)
                .put(prefix)
                .put(encoded)
                .array();
    }

    @Override
    public Map<String, Long> unreadable() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Unreadable reason : Unreadable.values()) {
            counts.put(reason.label(), counter(reason).sum());
        }
        return counts;
    }

    private LongAdder counter(Unreadable reason) {
        return Objects.requireNonNull(unreadable.get(reason));
    }
}
