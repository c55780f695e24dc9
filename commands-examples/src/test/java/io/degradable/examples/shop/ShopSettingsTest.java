package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.examples.shop.Customer.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;

/** What an operator turns while the shop runs: by a file, by Redis, and over a restart. */
@Timeout(90)
final class ShopSettingsTest {

    private static final String TIMEOUT = "degradable.command.GetProduct.timeout";
    private static final String SWITCH = "degradable.switch.command.GetProduct";

    @TempDir
    private Path folder;

    /** The file is looked at every second. */
    private static void until(Callable<Boolean> holds) {
        await().atMost(Duration.ofSeconds(20)).until(holds);
    }

    private Path file(String... lines) throws IOException {
        return Files.write(folder.resolve("shop.properties"), List.of(lines));
    }

    private static JsonNode state(Customer customer) {
        return customer.get("degradable/v1/state").json();
    }

    private static JsonNode product(JsonNode state) {
        for (JsonNode command : state.get("commands")) {
            if (command.get("name").asText().equals("GetProduct")) {
                return command;
            }
        }
        throw new AssertionError("no GetProduct in " + state.get("commands"));
    }

    private static JsonNode timeout(Customer customer) {
        return product(state(customer)).get("settings").get("timeout");
    }

    @Test
    void a_switch_in_the_file_takes_calls_from_the_catalog_and_gives_them_back() throws Exception {
        try (SettingsFile settings = SettingsFile.at(file());
                Shop shop = Shop.open(0, Outside.of(settings, null))) {
            Customer customer = new Customer(shop.uri());
            assertThat(customer.product(1).source()).isEqualTo("primary");
            long before = shop.backends().catalog().requests();

            file(SWITCH + "=1");
            until(() -> !product(state(customer)).get("switch").isNull());
            Answer copy = customer.product(1);
            Answer neverRead = customer.product(4711);

            assertThat(copy.source()).isEqualTo("cache");
            assertThat(copy.header("X-Degraded-Trigger")).contains("switch");
            assertThat(neverRead.source()).isEqualTo("static");
            assertThat(shop.backends().catalog().requests()).isEqualTo(before);
            JsonNode held = state(customer).get("switches").get(0);
            assertThat(held.get("target").asText()).isEqualTo("command:GetProduct");
            assertThat(held.get("position").asText()).isEqualTo("1");
            assertThat(held.get("origin").asText()).isEqualTo("configuration");
            file();
            until(() -> customer.product(1).source().equals("primary"));
        }
    }

    @Test
    void a_timeout_in_the_file_holds_for_the_next_calls_and_a_wrong_one_for_none() throws Exception {
        try (SettingsFile settings = SettingsFile.at(file(TIMEOUT + "=10 s"));
                Shop shop = Shop.open(0, Outside.of(settings, null))) {
            Customer customer = new Customer(shop.uri());
            customer.fault("catalog", "{\"mode\":\"slow\",\"latencyMs\":1000}");
            assertThat(customer.product(1).source()).isEqualTo("primary");

            file(TIMEOUT + "=80 ms");
            until(() -> timeout(customer).get("value").asText().equals("80 ms"));
            Answer late = customer.product(1);

            assertThat(late.source()).isNotEqualTo("primary");
            assertThat(late.header("X-Degraded-Trigger")).contains("timeout");
            assertThat(timeout(customer).get("source").asText()).isEqualTo("archaius");
            file(TIMEOUT + "=90");
            until(() -> !state(customer).get("configuration").get("faults").isEmpty());
            assertThat(timeout(customer).get("value").asText()).isEqualTo("80 ms");
            assertThat(state(customer)
                            .get("configuration")
                            .get("faults")
                            .get(0)
                            .get("problem")
                            .asText())
                    .contains("a number needs its unit");
        }
    }

    @Test
    void a_file_that_is_gone_changes_nothing_and_is_told() throws Exception {
        Path file = file(TIMEOUT + "=2 s");
        try (SettingsFile settings = SettingsFile.at(file);
                Shop shop = Shop.open(0, Outside.of(settings, null))) {
            Customer customer = new Customer(shop.uri());

            Files.delete(file);
            until(() -> !fileSource(customer).get("lastFault").asText().isEmpty());

            assertThat(timeout(customer).get("value").asText()).isEqualTo("2 s");
            file(TIMEOUT + "=3 s");
            until(() -> timeout(customer).get("value").asText().equals("3 s"));
            assertThat(fileSource(customer).get("lastFault").asText()).isEmpty();
        }
    }

    private static JsonNode fileSource(Customer customer) {
        return state(customer).get("configuration").get("sources").get(0);
    }

    @Test
    void a_closed_file_is_not_looked_at_any_more() throws Exception {
        SettingsFile settings = SettingsFile.at(file());
        until(ShopSettingsTest::isPolling);

        settings.close();

        until(() -> !isPolling());
    }

    private static boolean isPolling() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("Archaius-Poller"));
    }

    @Test
    void settings_of_redis_hold_where_the_file_says_nothing() throws Exception {
        try (RedisServer redis = new RedisServer();
                RedisClient client = Redis.at(redis.address()).connect();
                SettingsFile settings = SettingsFile.at(file(TIMEOUT + "=2 s"));
                Shop shop = Shop.open(0, Outside.of(settings, client))) {
            Customer customer = new Customer(shop.uri());

            client.hset("shop:settings", TIMEOUT, "3 s"); // as by redis-cli
            client.publish("shop:settings", "changed");
            until(() -> !state(customer).get("configuration").get("outdone").isEmpty());

            assertThat(timeout(customer).get("value").asText()).isEqualTo("2 s");
            JsonNode outdone =
                    state(customer).get("configuration").get("outdone").get(0);
            assertThat(outdone.get("source").asText()).isEqualTo("redis");
            assertThat(outdone.get("winner").asText()).isEqualTo("archaius");
            file();
            until(() -> timeout(customer).get("value").asText().equals("3 s"));
            assertThat(timeout(customer).get("source").asText()).isEqualTo("redis");
        }
    }

    @Test
    void a_switch_by_hand_survives_a_restart_in_redis_and_a_closed_shop_listens_no_more() throws Exception {
        try (RedisServer redis = new RedisServer();
                RedisClient client = Redis.at(redis.address()).connect()) {
            try (Shop shop = Shop.open(0, Outside.of(null, client))) {
                shop.commands()
                        .switches()
                        .set(Target.command("GetProduct"), Position.STATIC_ONLY, Order.by("anna", "the catalog moves"));
                Customer customer = new Customer(shop.uri());
                until(() -> state(customer).get("switches").get(0).get("stored").asBoolean());
                until(() -> listeners(client) == 2);
            }
            until(() -> listeners(client) == 0);

            try (Shop shop = Shop.open(0, Outside.of(null, client))) {
                Customer customer = new Customer(shop.uri());
                until(() -> customer.product(1).source().equals("static")); // Redis has 50 ms, or is asked again later

                JsonNode held = state(customer).get("switches").get(0);
                assertThat(held.get("author").asText()).isEqualTo("anna");
                assertThat(held.get("origin").asText()).isEqualTo("store");
                assertThat(state(customer).get("switchStore").get("name").asText())
                        .isEqualTo("redis");
            }
            assertThat(client.keys("*")).allSatisfy(key -> assertThat(key).startsWith("shop:"));
        }
    }

    private static long listeners(RedisClient client) {
        CommandArguments question = new CommandArguments(Protocol.Command.PUBSUB)
                .add("NUMSUB")
                .add("shop:settings")
                .add("shop:switches");
        List<Object> channelsWithCounts =
                client.executeCommand(new CommandObject<>(question, BuilderFactory.RAW_OBJECT_LIST));
        return (Long) channelsWithCounts.get(1) + (Long) channelsWithCounts.get(3);
    }
}
