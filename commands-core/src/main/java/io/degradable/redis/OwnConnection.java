package io.degradable.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;
import redis.clients.jedis.util.Pool;

/**
 * A connection as the client of the application makes them (same address, TLS and user), and outside of its pool: one that
 * listens for ever would be missing there, and would be the only one in a pool of one.
 */
final class OwnConnection {

    private OwnConnection() {}

    /** Whether {@link #open} can do it for such a client. */
    static boolean isPossible(UnifiedJedis client) {
        return client instanceof RedisClient
                || client instanceof RedisSentinelClient
                || client instanceof RedisClusterClient;
    }

    /**
     * To the master that has a key. Within the client's own limits for connecting, or twice that in a cluster.
     *
     * @throws Exception when nobody could be reached
     */
    static Connection open(UnifiedJedis client, String key) throws Exception {
        if (client instanceof RedisClient single) {
            return made(single.getPool());
        }
        if (client instanceof RedisSentinelClient watched) {
            return made(
                    watched.getPrimaryNodesConnectionMap().values().iterator().next());
        }
        if (client instanceof RedisClusterClient cluster) {
            return open(cluster, key);
        }
        throw new IllegalArgumentException("no client for listening: " + client.getClass());
    }

    private static Connection made(Pool<Connection> pool) throws Exception {
        return pool.getFactory().makeObject().getObject();
    }

    /**
     * What is published on any node is heard on all, as long as they reach each other; on the node of the key even when they
     * do not, since that is where it is published. When that one is gone, any other will do.
     */
    private static Connection open(RedisClusterClient cluster, String key) throws Exception {
        Map<String, ConnectionPool> nodes = new HashMap<>(cluster.getClusterNodes());
        try (Connection some = cluster.getConnectionFromSlot(JedisClusterCRC16.getSlot(key))) {
            // Dead as it may be itself: nobody tries out what lies in a pool.
            ConnectionPool owner = nodes.remove(some.getHostAndPort().toString());
            if (owner != null) {
                return made(owner);
            }
        } catch (JedisException gone) {
            if (nodes.isEmpty()) {
                throw gone;
            }
        }
        List<ConnectionPool> others = List.copyOf(nodes.values());
        if (others.isEmpty()) {
            throw new JedisConnectionException("no node of the cluster is known");
        }
        return made(others.get(ThreadLocalRandom.current().nextInt(others.size())));
    }
}
