package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.examples.shop.Customer.Answer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

/** The shop with a real Redis behind its copies. */
@Timeout(90)
final class ShopRedisTest {

    private static final String DOWN = "{\"mode\":\"down\"}";

    private final RedisServer redis = new RedisServer();
    private RedisClient client;

    @BeforeEach
    void connect() throws Exception {
        client = Redis.at(redis.address()).connect();
    }

    @AfterEach
    void close() {
        client.close();
        redis.close();
    }

    private Shop open() throws Exception {
        return Shop.open(0, Outside.of(null, client));
    }

    @Test
    void a_copy_survives_a_restart_of_the_shop_with_its_true_age() throws Exception {
        long asked;
        long read;
        JsonNode before;
        try (Shop shop = open()) {
            asked = System.nanoTime();
            Answer answer = new Customer(shop.uri()).product(4711);
            read = System.nanoTime();
            assertThat(answer.source()).isEqualTo("primary");
            before = answer.json().get("product").get("value");
        }

        try (Shop shop = open()) {
            Customer customer = new Customer(shop.uri());
            customer.fault("catalog", DOWN);
            customer.fault("replica", DOWN);
            // Redis has 50 ms to say it, which a loaded machine may not have; the snapshot answers until then.
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> customer.product(4711).source().equals("cache"));
            long youngest = System.nanoTime() - read;
            Answer answer = customer.product(4711);
            long oldest = System.nanoTime() - asked;

            assertThat(answer.source()).isEqualTo("cache");
            assertThat(answer.json().get("product").get("value")).isEqualTo(before);
            assertThat(Long.parseLong(answer.header("X-Data-Age").orElseThrow()))
                    // by the wall clock, which may differ by some milliseconds
                    .isBetween(
                            Duration.ofNanos(youngest).minusMillis(20).toSeconds(),
                            Duration.ofNanos(oldest).plusMillis(20).toSeconds());
        }
    }

    @Test
    void the_orders_of_a_customer_are_kept_in_memory_and_nowhere_else() throws Exception {
        try (Shop shop = open()) {
            Customer customer = new Customer(shop.uri());
            String token = customer.post("login", "{\"customer\":\"anna\",\"password\":\"oak-and-linen\"}")
                    .json()
                    .get("token")
                    .asText();

            assertThat(customer.get("orders", "Authorization", "Bearer " + token)
                            .json()
                            .get("known")
                            .asBoolean())
                    .isTrue();
            customer.product(4711);
        } // which writes what is still to be written

        assertThat(client.keys("*"))
                .anySatisfy(key -> assertThat(key).startsWith("shop:products:"))
                .allSatisfy(key -> assertThat(key).doesNotContain("orders", "anna"));
    }

    @Test
    void a_redis_that_dies_takes_no_page_with_it() throws Exception {
        try (Shop shop = open()) {
            Customer customer = new Customer(shop.uri());
            customer.product(4711);

            redis.kill();

            assertThat(customer.product(1).source()).isEqualTo("primary");
            customer.fault("catalog", DOWN);
            customer.fault("replica", DOWN);
            assertThat(customer.product(4711).source()).isEqualTo("cache");
            for (long id = 5000; id < 5030; id++) { // the breaker of the store opens on the way
                Answer answer = customer.product(id);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.source()).isEqualTo("static");
                assertThat(answer.header("X-Data-Age")).isPresent();
            }
        }
    }
}
