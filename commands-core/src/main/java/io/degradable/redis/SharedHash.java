package io.degradable.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.degradable.settings.Require;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
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

    Map<String, String> read() {
        // By hand: neither a key pre-processor nor the client-side caching of Jedis comes in between, as for what is
        // written.
        CommandArguments request = new CommandArguments(Command.HGETALL).key(key.getBytes(UTF_8));
        try {
            Map<byte[], byte[]> found = client.executeCommand(new CommandObject<>(request, BuilderFactory.BINARY_MAP));
            Map<String, String> texts = new LinkedHashMap<>();
            found.forEach((name, text) -> texts.put(new String(name, UTF_8), new String(text, UTF_8)));
            return texts;
        } catch (OutOfMemoryError | StackOverflowError | ClassCastException nonsense) {
            throw new JedisConnectionException(
                    "a reply that is no hash", nonsense); // Jedis believes any length and any depth
        }
    }

    /**
     * Runs a script on the hash, its only key. The first argument is a token, which the script has to return: a connection
     * that has got out of step hands out what others asked for.
     */
    void run(String script, List<String> arguments) throws InterruptedException {
        byte[] token = UUID.randomUUID().toString().getBytes(UTF_8);
        CommandArguments request = new CommandArguments(Command.EVAL)
                .add(script.getBytes(UTF_8))
                .add(1)
                .key(key.getBytes(UTF_8))
                .add(token);
        for (String argument : arguments) {
            request.add(argument.getBytes(UTF_8));
        }
        byte[] reply = Exchange.ask(client, request, found -> Arrays.equals(found, token));
        if (!Arrays.equals(reply, token)) {
            throw new JedisConnectionException("the reply to another request, so nobody knows whether this was kept");
        }
    }

    Subscription watch(Runnable changed, Consumer<Throwable> lost) {
        return new Subscription(client, key, changed, lost);
    }
}
