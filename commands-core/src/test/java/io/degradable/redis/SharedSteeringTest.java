package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.control.ManualOverride;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.model.Source;
import io.degradable.template.StaticTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

/** Containers that share switches and settings through a real Redis, which may go and come back. */
@Timeout(120)
final class SharedSteeringTest {

    private static final Duration LIMIT = Duration.ofMillis(500);

    /** What is wanted within two seconds is waited for ten times as long. */
    private static final Duration PATIENT = Duration.ofSeconds(20);

    private static final Order ANNA = Order.by("anna", "the database is moved").untilCleared();
    private static final Target TARGET = Target.command("GetProduct");

    private static final class GetProduct extends DegradableCommand<String> {

        static final CommandSpec<GetProduct, String> SPEC = CommandSpec.of(GetProduct.class)
                .group("catalog")
                .semaphore(10)
                .fallback(chain -> chain.template(StaticTemplate.of("sorry", "template")))
                .build();

        GetProduct(Commands commands) {
            super(commands, SPEC);
        }

        @Override
        protected String run() {
            return "live";
        }
    }

    /** One process of many. */
    private static final class Instance implements AutoCloseable {

        private final RedisClient client;
        private final Commands commands;

        Instance(RedisServer server) {
            this.client = RedisClient.builder()
                    .hostAndPort(server.address())
                    .clientConfig(RedisCaches.clientConfig(LIMIT).build())
                    .poolConfig(RedisCaches.poolConfig(2, LIMIT))
                    .build();
            this.commands = Commands.builder()
                    .switches(RedisSwitches.over(client))
                    .settings(RedisSettings.over(client))
                    .build();
            commands.register(GetProduct.SPEC);
        }

        Source serves() {
            return new GetProduct(commands).executeForResult().source();
        }

        boolean isHeld() {
            return commands.switches().decidesFor("GetProduct").isPresent();
        }

        @Override
        public void close() {
            commands.close();
            client.close();
        }
    }

    private final RedisServer server = RedisServer.start();
    private final List<Instance> all = new ArrayList<>();
    private Instance first;
    private Instance second;
    private Instance third;

    @BeforeEach
    void start() {
        first = instance();
        second = instance();
        third = instance();
    }

    private Instance instance() {
        Instance made = new Instance(server);
        all.add(made);
        return made;
    }

    @AfterEach
    void stop() {
        all.forEach(Instance::close);
        server.close();
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await().atMost(PATIENT).pollInterval(Duration.ofMillis(20)).until(holds);
    }

    private void untilAllServe(Source source) {
        for (Instance one : all) {
            until(() -> one.serves() == source);
        }
    }

    @Test
    @DisplayName("B140, H10: three containers agree on a switch set on one of them, and on its end")
    void all_agree() {
        first.commands.switches().set(TARGET, Position.STATIC_ONLY, ANNA);
        Source atOnce = first.serves();
        long from = System.nanoTime();
        untilAllServe(Source.STATIC);
        long took = System.nanoTime() - from;
        System.out.println("all agree on a switch after ms (wanted: 2000): "
                + Duration.ofNanos(took).toMillis());
        ManualOverride seen = third.commands.switches().decidesFor("GetProduct").orElseThrow();

        second.commands.switches().clear(TARGET, Order.by("bert", "it is moved").atOnce());
        untilAllServe(Source.PRIMARY);

        assertThat(atOnce).isEqualTo(Source.STATIC);
        assertThat(seen.author()).isEqualTo("anna");
        assertThat(seen.reason()).isEqualTo("the database is moved");
        assertThat(seen.origin()).isEqualTo(ManualOverride.Origin.STORE);
        assertThat(first.commands.switches().changes())
                .anyMatch(change -> change.author().equals("bert"));
    }

    @Test
    @DisplayName("B139: a switch outlives the process that has set it")
    void a_restart_keeps_it() {
        first.commands.switches().set(TARGET, Position.STATIC_ONLY, ANNA);
        untilAllServe(Source.STATIC);
        all.forEach(Instance::close);
        all.clear();

        Instance again = instance();

        assertThat(again.serves()).as("known before the first call").isEqualTo(Source.STATIC);
    }

    @Test
    void it_outlives_a_redis_that_comes_back_with_nothing_and_those_that_start_then_hear_of_it() {
        first.commands.switches().set(TARGET, Position.STATIC_ONLY, ANNA);
        untilAllServe(Source.STATIC);

        server.kill();
        untilAllServe(Source.STATIC);
        server.restart();
        server.run("FLUSHALL");
        until(() -> server.run("HLEN", "degradable:switches").equals(1L));
        Instance late = instance();

        until(() -> late.serves() == Source.STATIC);
        untilAllServe(Source.STATIC);
    }

    @Test
    @DisplayName("B140: without Redis a switch works where it is set, the others keep what they know, and agree later")
    void redis_is_down() {
        server.kill();

        ManualOverride held = second.commands.switches().set(TARGET, Position.STATIC_ONLY, ANNA);

        assertThat(second.serves()).isEqualTo(Source.STATIC);
        assertThat(held.stored()).isFalse();
        assertThat(first.isHeld()).isFalse();
        until(() -> !second.commands.switches().store().orElseThrow().reachable());
        server.restart();
        untilAllServe(Source.STATIC);
        until(() -> second.commands.switches().all().get(0).stored());
    }

    @Test
    void what_was_cleared_while_redis_was_away_stays_cleared() {
        first.commands.switches().set(TARGET, Position.STATIC_ONLY, ANNA);
        untilAllServe(Source.STATIC);
        server.kill();

        third.commands.switches().clear(TARGET, Order.by("bert", "it is moved").atOnce());
        assertThat(third.serves()).isEqualTo(Source.PRIMARY);
        server.restart();

        untilAllServe(Source.PRIMARY);
        assertThat(instance().serves()).isEqualTo(Source.PRIMARY);
    }

    @Test
    @DisplayName("a setting in the hash of the fleet reaches all of them while they run")
    void settings_are_pushed() throws Exception {
        RedisSettings fleet = RedisSettings.over(first.client);

        fleet.set("degradable.command.GetProduct.timeout", "77 ms");
        untilAllHave(Duration.ofMillis(77));
        fleet.remove("degradable.command.GetProduct.timeout");
        untilAllHave(Duration.ofSeconds(1));
    }

    private void untilAllHave(Duration timeout) {
        for (Instance one : all) {
            until(() -> one.commands.commands().stream()
                    .allMatch(command -> command.settings().guard().timeout().equals(timeout)));
        }
    }
}
