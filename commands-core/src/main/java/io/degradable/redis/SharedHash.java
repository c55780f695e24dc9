package io.degradable.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.degradable.settings.Require;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Texts by name in one hash, and a channel of the same name on which every change is announced.
 *
 * <p>Threading: immutable; every method may be called from any thread.
 */
final class SharedHash {

    private final UnifiedJedis client;
    private final String key;

    SharedHash(UnifiedJedis client, String key) {
        Objects.requireNonNull(client, "client must not be null");
        Require.that(
                OwnConnection.isPossible(client),
                "client must be a RedisClient, RedisSentinelClient or RedisClusterClient, which can listen over a"
                        + " connection of its own; was " + client.getClass().getName());
        Require.that(!Objects.requireNonNull(key, "key must not be null").isEmpty(), "key must not be empty");
        this.client = client;
        this.key = key;
    }

    UnifiedJedis client() {
        return client;
    }

    Map<String, String> read() throws Exception {
        // By hand: neither a key pre-processor nor the client-side caching of Jedis comes in between, as for what is
        // written.
        CommandObject<Map<byte[], byte[]>> request =
                new CommandObject<>(new CommandArguments(Command.HGETALL).key(bytes(key)), BuilderFactory.BINARY_MAP);
        Map<byte[], byte[]> found;
        try {
            found = sane(() -> client.executeCommand(request));
        } catch (JedisConnectionException stale) {
            found = overFreshConnection(request, stale);
        }
        Map<String, String> texts = new LinkedHashMap<>();
        found.forEach((name, text) -> texts.put(new String(name, UTF_8), new String(text, UTF_8)));
        return texts;
    }

    /**
     * Runs a script on the hash, its only key; what it does may be done twice. The first argument is a token, which the script
     * has to return: a connection that has got out of step hands out what others asked for.
     */
    void run(String script, List<String> arguments) throws Exception {
        byte[] token = bytes(UUID.randomUUID().toString());
        CommandArguments request = new CommandArguments(Command.EVAL)
                .add(bytes(script))
                .add(1)
                .key(bytes(key))
                .add(token);
        arguments.forEach(argument -> request.add(bytes(argument)));
        try {
            requireToken(token, Exchange.ask(client, request, reply -> Arrays.equals(reply, token)));
        } catch (JedisConnectionException stale) {
            requireToken(token, overFreshConnection(new CommandObject<>(request, BuilderFactory.BINARY), stale));
        }
    }

    private static void requireToken(byte[] token, @Nullable byte[] reply) {
        if (!Arrays.equals(reply, token)) {
            throw new JedisConnectionException("the reply to another request, so nobody knows whether this was kept");
        }
    }

    /**
     * After a restart of Redis every connection in the pool is dead, and the first to know is who uses it. Who is told to read
     * because Redis is back must not fail at that: nobody tells him again.
     */
    private <T> T overFreshConnection(CommandObject<T> request, JedisConnectionException stale) throws Exception {
        try (Connection fresh = OwnConnection.open(client, key)) {
            return sane(() -> fresh.executeCommand(request));
        } catch (Exception failed) {
            failed.addSuppressed(stale);
            throw failed;
        }
    }

    /** Jedis believes any length and any depth. Nonsense on the wire is a failure of Redis, not of the application. */
    private static <T> T sane(Callable<T> request) throws Exception {
        try {
            return request.call();
        } catch (OutOfMemoryError | StackOverflowError | ClassCastException nonsense) {
            throw new JedisConnectionException("a reply of another kind than was asked for", nonsense);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    Subscription watch(Runnable changed, Consumer<Throwable> lost) {
        return new Subscription(client, key, changed, lost);
    }
}
