package io.degradable.examples.shop;

import io.degradable.cache.RemoteCaches;
import io.degradable.control.OverrideStore;
import io.degradable.redis.RedisCaches;
import io.degradable.redis.RedisSettings;
import io.degradable.redis.RedisSwitches;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** The Redis that the shop is told to keep its copies and switches in, and to read settings of, under keys of its own. */
record Redis(String host, int port) {

    private static final Pattern ADDRESS = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):([0-9]+)");
    private static final int MOST_DIGITS = 5;
    private static final int HIGHEST_PORT = 65_535;

    /** That of the cache stages. */
    private static final Duration LIMIT = Duration.ofMillis(50);

    /** Only the start waits for so long. */
    private static final Duration FIRST_LIMIT = Duration.ofSeconds(2);

    /**
     * Three cache stages read with 8 threads each, and each cache has one that writes; one reads settings, and one agrees on
     * switches. Those that listen are not of the pool.
     */
    private static final int CONNECTIONS = 3 * (8 + 1) + 2;

    /** No other application has keys that begin so. */
    private static final String PREFIX = "shop:";

    /**
     * An address.
     *
     * @param text host:port; of IPv6 {@code [::1]:6379}
     * @throws IllegalArgumentException when it is none; the message says so
     */
    static Redis at(String text) {
        Matcher address = ADDRESS.matcher(text);
        if (!address.matches()) {
            throw new IllegalArgumentException("--redis must be host:port, as in 127.0.0.1:6379, was \"" + text + "\"");
        }
        String digits = address.group(2);
        int port = digits.length() > MOST_DIGITS ? Integer.MAX_VALUE : Integer.parseInt(digits);
        if (port < 1 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException("the port of --redis must be from 1 to 65535, was " + digits);
        }
        return new Redis(address.group(1), port);
    }

    /**
     * A client for the shop's copies.
     *
     * @throws UnusableException when no Redis answers there now. Later ones are the chain's to bear; a client is made without
     *     one just as well, and a wrong address would show only as copies that never come
     */
    RedisClient connect() throws UnusableException {
        try (RedisClient first = client(1, FIRST_LIMIT)) {
            first.ping();
        } catch (JedisException failed) {
            throw new UnusableException(this + " " + says(failed));
        }
        return client(CONNECTIONS, LIMIT);
    }

    /** Copies over such a client. */
    static RemoteCaches copies(RedisClient client) {
        return RedisCaches.over(client).keyPrefix(PREFIX);
    }

    /** Switches over such a client. */
    static OverrideStore switches(RedisClient client) {
        return RedisSwitches.over(client).keyPrefix(PREFIX);
    }

    /** Settings over such a client. */
    static RedisSettings settings(RedisClient client) {
        return RedisSettings.over(client).key(PREFIX + "settings");
    }

    private RedisClient client(int connections, Duration limit) {
        return RedisClient.builder()
                .hostAndPort(host, port)
                .clientConfig(RedisCaches.clientConfig(limit).build())
                .poolConfig(RedisCaches.poolConfig(connections, limit))
                .build();
    }

    private String says(JedisException failed) {
        Throwable root = failed;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof UnknownHostException) {
            return "cannot be reached: no host is called " + host;
        }
        if (!(failed instanceof JedisConnectionException)) {
            return "answers, but does not serve: " + root.getMessage();
        }
        // Jedis keeps why it could not connect among the suppressed.
        Throwable why = root.getSuppressed().length == 0 ? root : root.getSuppressed()[0];
        return "does not answer as a Redis does: " + why.getMessage() + "; start one with redis-server --port " + port
                + ", or leave --redis out";
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
