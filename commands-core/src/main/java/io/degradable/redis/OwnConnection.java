package io.degradable.redis;

import java.util.List;
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
     * To the master that has a key. Within the client's own limits for connecting.
     *
     * @throws Exception when nobody could be reached
     */
    static Connection open(UnifiedJedis client, String key) throws Exception {
        return pool(client, key).getFactory().makeObject().getObject();
    }

    private static Pool<Connection> pool(UnifiedJedis client, String key) {
        if (client instanceof RedisClient single) {
            return single.getPool();
        }
        if (client instanceof RedisSentinelClient watched) {
            return watched.getPrimaryNodesConnectionMap().values().iterator().next();
        }
        if (client instanceof RedisClusterClient cluster) {
            return pool(cluster, key);
        }
        throw new IllegalArgumentException("no client for listening: " + client.getClass());
    }

    /**
     * What is published on any node is heard on all, as long as they reach each other; on the node of the key even when they
     * do not, since that is where it is published. When that one is gone, any will do.
     */
    private static Pool<Connection> pool(RedisClusterClient cluster, String key) {
        String address = "";
        try (Connection some = cluster.getConnectionFromSlot(JedisClusterCRC16.getSlot(key))) {
            address = some.getHostAndPort().toString();
        } catch (JedisException gone) {
            // One of the others, below; if they are gone as well, that is said.
        }
        ConnectionPool pool = cluster.getClusterNodes().get(address);
        if (pool != null) {
            return pool;
        }
        List<ConnectionPool> all = List.copyOf(cluster.getClusterNodes().values());
        if (all.isEmpty()) {
            throw new JedisConnectionException("no node of the cluster is known");
        }
        return all.get(ThreadLocalRandom.current().nextInt(all.size()));
    }
}
