package io.degradable.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import redis.clients.jedis.HostAndPort;

/** A master, its replica, and one sentinel that makes the replica the master half a second after the master is gone. */
final class RedisSentinels implements AutoCloseable {

    static final String MASTER = "shop";

    private final RedisServer master = RedisServer.start();
    private final RedisServer replica =
            RedisServer.start("replicaof 127.0.0.1 " + master.address().getPort());
    private final RedisServer sentinel = RedisServer.sentinel(
            "sentinel monitor " + MASTER + " 127.0.0.1 " + master.address().getPort() + " 1",
            "sentinel down-after-milliseconds " + MASTER + " 500",
            "sentinel failover-timeout " + MASTER + " 2000");

    RedisSentinels() {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> replica.text("INFO", "replication").contains("master_link_status:up")
                        && sentinel.text("INFO", "sentinel").contains("slaves=1"));
    }

    RedisServer master() {
        return master;
    }

    RedisServer replica() {
        return replica;
    }

    Set<HostAndPort> addresses() {
        return Set.of(sentinel.address());
    }

    @Override
    public void close() {
        sentinel.close();
        replica.close();
        master.close();
    }
}
