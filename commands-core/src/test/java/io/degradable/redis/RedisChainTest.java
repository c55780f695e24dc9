package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.model.StageReport;
import io.degradable.settings.BulkheadSettings;
import io.degradable.state.StageView;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;

/** H5, S13: a chain whose copies lie in a real Redis, and what becomes of its answers when that is in trouble. */
@Timeout(120)
final class RedisChainTest {

    private static final CacheSpec<String, String> COPIES = CacheSpec.<String, String>named("copies")
            .stored(Codec.strings(), Codec.strings())
            .nearFor(Duration.ofMillis(1));
    private static final Duration WINDOW = Duration.ofMinutes(5);
    private static final Duration LIMIT = Duration.ofMillis(50);

    /** For what is to be seen even on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisServer server = RedisServer.start();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private Proxy proxy;

    @BeforeEach
    void standBetween() {
        proxy = new Proxy(server.address());
    }

    @AfterEach
    void close() throws Exception {
        release.countDown();
        for (int last = open.size() - 1; last >= 0; last--) {
            open.get(last).close();
        }
        proxy.close();
        server.close();
    }

    private RedisClient client(HostAndPort address) {
        return client(address, LIMIT);
    }

    private RedisClient client(HostAndPort address, Duration limit) {
        RedisClient client = RedisClient.builder()
                .hostAndPort(address)
                .clientConfig(RedisCaches.clientConfig(limit).build())
                .poolConfig(RedisCaches.poolConfig(12, limit))
                .build();
        open.add(client);
        return client;
    }

    private RedisSentinelClient client(RedisSentinels sentinels) {
        RedisSentinelClient client = RedisSentinelClient.builder()
                .masterName(RedisSentinels.MASTER)
                .sentinels(sentinels.addresses())
                .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                .poolConfig(RedisCaches.poolConfig(12, LIMIT))
                .build();
        open.add(client);
        return client;
    }

    private Commands container(UnifiedJedis client) {
        Commands commands = Commands.builder().caches(RedisCaches.over(client)).build();
        open.add(commands);
        return commands;
    }

    private static CommandSpec<CallableCommand<String>, String> spec(
            UnaryOperator<CommandSpec.Builder<CallableCommand<String>, String>> guard,
            Duration limit,
            boolean breaker) {
        return guard.apply(CommandSpec.<String>callable("GetProduct").group("catalog"))
                .fallback(chain -> chain.within(PATIENCE)
                        .cached(COPIES, CallableCommand::key, WINDOW, stage -> {
                            stage.timeout(limit);
                            if (!breaker) {
                                stage.circuitBreaker(never -> never.requestVolumeThreshold(1_000_000));
                            }
                        })
                        .template(StaticTemplate.of("unknown", "unknown")))
                .build();
    }

    private static CommandSpec<CallableCommand<String>, String> spec() {
        return spec(command -> command.noCircuitBreaker(), LIMIT, true);
    }

    private static CommandResult<String> ask(
            Commands commands, CommandSpec<CallableCommand<String>, String> spec, String key, Callable<String> body) {
        return new CallableCommand<>(commands, spec, key, body).executeForResult();
    }

    private static CommandResult<String> askDown(
            Commands commands, CommandSpec<CallableCommand<String>, String> spec, String key) {
        return ask(commands, spec, key, () -> {
            throw new IOException("the catalog is down");
        });
    }

    private static StageView store(Commands commands) {
        return commands.commands().iterator().next().stages().get(2);
    }

    private static StageReason reason(CommandResult<String> result, String stage) {
        return result.trail().stream()
                .filter(report -> report.stage().equals(stage))
                .map(StageReport::reason)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_copy_outlives_the_instance_that_wrote_it() {
        try (Commands first = Commands.builder()
                .caches(RedisCaches.over(client(server.address())))
                .build()) {
            assertThat(ask(first, spec(), "1", () -> "lamp").source()).isEqualTo(Source.PRIMARY);
        }

        CommandResult<String> result = askDown(container(client(server.address())), spec(), "1");

        assertThat(result.value()).isEqualTo("lamp");
        assertThat(result.source()).isEqualTo(Source.CACHE);
        assertThat(result.age().orElseThrow()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(reason(result, "cache-store")).isEqualTo(StageReason.ANSWER);
    }

    @Test
    @DisplayName(
            "B99: 500 calls in flight, the primary and Redis hanging: all are answered a little after the primary's limit")
    void with_redis_hanging_five_hundred_calls_are_answered_a_little_after_the_primarys_limit() throws Exception {
        Duration timeout = Duration.ofMillis(400);
        CommandSpec<CallableCommand<String>, String> spec = spec(
                command -> command.noCircuitBreaker().timeout(timeout).threadPool(pool -> pool.size(500)),
                Duration.ofMillis(20),
                false);
        Commands commands = container(client(proxy.address()));
        proxy.set(Proxy.hangs());
        CyclicBarrier together = new CyclicBarrier(500);
        List<Caller<CommandResult<String>>> callers = new ArrayList<>();
        for (int caller = 0; caller < 500; caller++) {
            String key = "key-" + caller;
            callers.add(Caller.calls(() -> {
                together.await();
                return ask(commands, spec, key, () -> {
                    release.await();
                    return "never";
                });
            }));
        }

        List<CommandResult<String>> results =
                callers.stream().map(Caller::result).toList();
        long[] millis = results.stream()
                .mapToLong(result -> result.elapsed().toMillis())
                .sorted()
                .toArray();

        assertThat(results).extracting(CommandResult::value).containsOnly("unknown");
        // The goals, on a machine of its own, are 25 ms more than the limit in the median and 500 ms in the worst case.
        System.out.printf(
                "primary's limit %d ms: median %d ms, longest %d ms%n", timeout.toMillis(), millis[250], millis[499]);
        assertThat(millis[250]).as("a hang in the median").isLessThanOrEqualTo(timeout.toMillis() * 10);
        assertThat(millis[499]).as("a hang").isLessThanOrEqualTo(timeout.toMillis() * 25);
        assertThat(results)
                .extracting(result -> reason(result, "cache-store"))
                .isSubsetOf(StageReason.TIMEOUT, StageReason.THREAD_POOL_FULL)
                .contains(StageReason.TIMEOUT);
    }

    @Test
    @DisplayName("B99: a dead Redis is skipped in microseconds once its breaker is open")
    void a_dead_redis_is_skipped_once_its_breaker_is_open() {
        Commands commands = container(client(proxy.address()));
        CommandSpec<CallableCommand<String>, String> spec = spec();
        proxy.set(Proxy.hangs());
        await().until(() -> {
            askDown(commands, spec, "1");
            return store(commands).circuit().state() == CircuitState.OPEN;
        });

        long[] nanos = new long[10_000];
        int skipped = 0;
        for (int call = 0; call < nanos.length; call++) {
            long start = System.nanoTime();
            CommandResult<String> result = askDown(commands, spec, "1");
            nanos[call] = System.nanoTime() - start;
            skipped += reason(result, "cache-store") == StageReason.SHORT_CIRCUITED ? 1 : 0;
        }
        Arrays.sort(nanos);

        // The goal, on a machine of its own, is 100 us.
        System.out.printf(
                "a call whose primary fails and whose store is skipped: median %d ns%n", nanos[nanos.length / 2]);
        assertThat(skipped).as("but for probes").isGreaterThan(9_900);
        assertThat(nanos[nanos.length / 2]).as("the whole call").isLessThan(1_000_000);
    }

    @Test
    @DisplayName(
            "B101, B102: neither a black hole nor a Redis that is killed and comes back under load costs a thread or a connection")
    void redis_is_killed_and_comes_back_under_load() throws Exception {
        RedisClient client = client(server.address());
        Commands commands = container(client);
        CommandSpec<CallableCommand<String>, String> spec = spec();
        AtomicBoolean ending = new AtomicBoolean();
        List<Caller<Integer>> load = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            String key = "key-" + caller;
            load.add(Caller.calls(() -> {
                int answers = 0;
                while (!ending.get()) {
                    assertThat(ask(commands, spec, key, () -> key).value()).isEqualTo(key);
                    assertThat(askDown(commands, spec, key).value()).isEqualTo(key);
                    answers++;
                }
                return answers;
            }));
        }

        for (int time = 0; time < 3; time++) {
            long written = commands.caches().get(0).store().orElseThrow().written();
            await().until(() -> commands.caches().get(0).store().orElseThrow().written() > written);
            long failed = commands.caches().get(0).store().orElseThrow().failedWrites();
            server.kill();
            await().until(() -> commands.caches().get(0).store().orElseThrow().failedWrites() > failed);
            server.restart();
        }
        long written = commands.caches().get(0).store().orElseThrow().written();
        await().until(() -> commands.caches().get(0).store().orElseThrow().written() > written);
        ending.set(true);

        assertThat(load).allSatisfy(caller -> assertThat(caller.result()).isPositive());
        await().until(() -> client.getPool().getNumActive() == 0);
        await().until(() -> commands.pools().stream().allMatch(pool -> pool.active() == 0));
    }

    @Test
    void what_redis_refuses_to_write_is_counted_and_no_answer_suffers() {
        Commands commands = container(client(server.address()));
        server.run("CONFIG", "SET", "maxmemory", "1");
        ask(commands, spec(), "1", () -> "lamp");

        await().until(() -> commands.caches().get(0).store().orElseThrow().failedWrites() == 1);

        assertThat(askDown(commands, spec(), "1").value()).isEqualTo("lamp");
        server.run("CONFIG", "SET", "maxmemory", "0");
        ask(commands, spec(), "2", () -> "chair");
        await().until(() -> commands.caches().get(0).store().orElseThrow().written() == 1);
    }

    @Test
    void a_reply_that_is_spoiled_on_the_way_is_a_miss_and_counted() {
        Commands writing = container(client(server.address(), PATIENCE));
        ask(writing, spec(), "1", () -> "lamp");
        await().until(() -> writing.caches().get(0).store().orElseThrow().written() == 1);
        Commands reading = container(client(proxy.address(), PATIENCE));
        assertThat(askDown(reading, patient(), "2").value()).isEqualTo("unknown"); // connects
        proxy.set(Proxy.spoils(40, 1));

        CommandResult<String> result = askDown(reading, patient(), "1");

        assertThat(result.value()).isEqualTo("unknown");
        proxy.set(Proxy.passes());
        assertThat(reading.caches().get(0).store().orElseThrow().unreadable().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(1);
        await().untilAsserted(() ->
                assertThat(askDown(reading, patient(), "1").value()).isEqualTo("lamp"));
    }

    @Test
    void answers_come_before_during_and_after_a_fail_over_of_sentinel() {
        try (RedisSentinels sentinels = new RedisSentinels()) {
            Commands commands = container(client(sentinels));
            ask(commands, spec(), "1", () -> "lamp");
            await().until(() -> commands.caches().get(0).store().orElseThrow().written() == 1);
            Commands reading = container(client(sentinels));
            assertThat(askDown(reading, spec(), "1").value()).isEqualTo("lamp");

            sentinels.master().kill();

            await().atMost(Duration.ofSeconds(40)).until(() -> {
                assertThat(askDown(reading, spec(), "1").value()).as("during").isEqualTo("lamp");
                ask(commands, spec(), "2", () -> "chair");
                return commands.caches().get(0).store().orElseThrow().written() > 1;
            });
            await().untilAsserted(() -> assertThat(
                            reason(askDown(container(client(sentinels)), spec(), "2"), "cache-store"))
                    .isEqualTo(StageReason.ANSWER));
        }
    }

    @Test
    void when_a_node_of_a_cluster_is_lost_its_copies_are_and_every_answer_comes() {
        try (RedisCluster cluster = RedisCluster.start()) {
            Commands writing = container(client(cluster));
            for (int key = 0; key < 60; key++) {
                String value = "of " + key;
                ask(writing, spec(), "key-" + key, () -> value);
            }
            await().until(() -> writing.caches().get(0).store().orElseThrow().written() == 60);

            assertThat(copiesOf(container(client(cluster)))).as("before").isEqualTo(60);
            cluster.node(1).kill();
            assertThat(copiesOf(container(client(cluster)))).as("after").isBetween(20, 59);
        }
    }

    /** How many of the sixty there are; the others are unknown, and none is another's. */
    private static int copiesOf(Commands commands) {
        int copies = 0;
        for (int key = 0; key < 60; key++) {
            CommandResult<String> result = askDown(commands, patient(), "key-" + key);
            assertThat(result.value()).isIn("of " + key, "unknown");
            copies += result.source() == Source.CACHE ? 1 : 0;
        }
        return copies;
    }

    /** Whose store may take its time, so that what it has not got it does not have. */
    private static CommandSpec<CallableCommand<String>, String> patient() {
        return CommandSpec.<String>callable("GetProduct")
                .group("catalog")
                .fallback(chain -> chain.within(Duration.ofSeconds(10))
                        .cached(
                                COPIES,
                                CallableCommand::key,
                                WINDOW,
                                stage -> stage.timeout(PATIENCE)
                                        .circuitBreaker(never -> never.requestVolumeThreshold(1_000_000)))
                        .template(StaticTemplate.of("unknown", "unknown")))
                .noCircuitBreaker()
                .build();
    }

    private RedisClusterClient client(RedisCluster cluster) {
        RedisClusterClient client = RedisClusterClient.builder()
                .nodes(cluster.addresses())
                .clientConfig(RedisCaches.clientConfig(PATIENCE).build())
                .poolConfig(RedisCaches.poolConfig(4, PATIENCE))
                .maxAttempts(2)
                .maxTotalRetriesDuration(PATIENCE)
                .build();
        open.add(client);
        return client;
    }

    @Test
    void the_pool_of_the_store_is_eight_threads_and_its_limit_fifty_milliseconds() {
        Commands commands = container(client(server.address()));
        CommandSpec<CallableCommand<String>, String> plain = CommandSpec.<String>callable("plain")
                .group("catalog")
                .fallback(chain -> chain.cached(COPIES, CallableCommand::key, WINDOW))
                .build();
        commands.register(plain);

        assertThat(store(commands).settings().timeout()).isEqualTo(Duration.ofMillis(50));
        assertThat(store(commands).settings().bulkhead())
                .isInstanceOfSatisfying(BulkheadSettings.ThreadPool.class, pool -> {
                    assertThat(pool.size()).isEqualTo(8);
                    assertThat(pool.queue()).isZero();
                });
        assertThat(store(commands).settings().breaker().enabled()).isTrue();
    }
}
