package io.degradable.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import redis.clients.jedis.HostAndPort;

/** Three nodes without replicas that share the slots; each goes on when another is lost. */
final class RedisCluster implements AutoCloseable {

    static final int NODES = 3;
    private static final int SLOTS = 16_384;

    private final List<RedisServer> nodes = new ArrayList<>();

    static RedisCluster start() {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.form();
            return cluster;
        } catch (RuntimeException | AssertionError failed) {
            cluster.close();
            throw failed;
        }
    }

    private void form() {
        for (int number = 0; number < NODES; number++) {
            int bus = RedisServer.freePort();
            RedisServer node = RedisServer.start(
                    "cluster-enabled yes",
                    "cluster-port " + bus,
                    "cluster-node-timeout 1000",
                    "cluster-require-full-coverage no");
            nodes.add(node);
            node.run(
                    "CLUSTER",
                    "ADDSLOTSRANGE",
                    Integer.toString(SLOTS * number / NODES),
                    Integer.toString(SLOTS * (number + 1) / NODES - 1));
            node.run("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(number + 1));
            nodes.get(0)
                    .run(
                            "CLUSTER",
                            "MEET",
                            "127.0.0.1",
                            Integer.toString(node.address().getPort()),
                            Integer.toString(bus));
        }
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> nodes.stream().allMatch(RedisCluster::knowsAll));
    }

    private static boolean knowsAll(RedisServer node) {
        String state = node.text("CLUSTER", "INFO");
        return state.contains("cluster_state:ok")
                && state.contains("cluster_slots_assigned:" + SLOTS)
                && state.contains("cluster_known_nodes:" + NODES);
    }

    RedisServer node(int number) {
        return nodes.get(number);
    }

    Set<HostAndPort> addresses() {
        return nodes.stream().map(RedisServer::address).collect(Collectors.toSet());
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
