package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.examples.shop.Customer.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a visitor of the shop sees while its backends fail: over real HTTP, real databases, real time. */
@Timeout(90)
final class ShopTest {

    private static final int BUDGET_MILLIS = 250;
    private static final int TIMEOUT_MILLIS = 150;

    private static final String UP = "{\"mode\":\"up\"}";
    private static final String DOWN = "{\"mode\":\"down\"}";
    private static final String HANG = "{\"mode\":\"hang\"}";
    private static final String ERRORS = "{\"mode\":\"errors\"}";

    private Shop shop;
    private Customer customer;

    @BeforeEach
    void open() throws Exception {
        shop = Shop.open(0);
        customer = new Customer(shop.uri());
    }

    @AfterEach
    void close() {
        shop.close();
    }

    private JsonNode state(String command) {
        for (JsonNode candidate : customer.get("degradable/v1/state").json().get("commands")) {
            if (candidate.get("name").asText().equals(command)) {
                return candidate;
            }
        }
        throw new AssertionError("no command " + command);
    }

    private String circuit(String command) {
        return state(command).get("stages").get(0).get("breaker").get("state").asText();
    }

    @Test
    void all_up_the_catalog_itself_answers() {
        Answer answer = customer.product(1);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.source()).isEqualTo("primary");
        assertThat(answer.header("X-Data-Age")).contains("0");
        assertThat(answer.header("X-Call-Id"))
                .hasValueSatisfying(id -> assertThat(id).matches("[0-9a-f]{16}"));
        assertThat(answer.header("X-Degraded-Trigger")).isEmpty();
        assertThat(answer.json().get("product").get("value").get("priceCents").asLong())
                .isPositive();
        assertThat(answer.json().get("stock").get("source").asText()).isEqualTo("primary");
        assertThat(answer.json().get("recommendations").get("source").asText()).isEqualTo("primary");
    }

    @Test
    void with_errors_in_the_catalog_the_replica_answers() {
        String healthy = customer.product(7).json().get("product").get("value").toString();
        customer.fault("catalog", ERRORS);

        Answer answer = customer.product(7);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.source()).isEqualTo("spare");
        assertThat(answer.header("X-Data-Age")).contains("0");
        assertThat(answer.header("X-Degraded-Trigger")).contains("failure");
        assertThat(answer.json().get("product").get("value").toString()).isEqualTo(healthy);
    }

    @Test
    void with_catalog_and_replica_down_a_product_read_before_comes_with_its_true_age() {
        long before = System.nanoTime();
        customer.product(7);
        long read = System.nanoTime();
        customer.fault("catalog", DOWN);
        customer.fault("replica", DOWN);
        await().until(() -> System.nanoTime() - read > 1_200_000_000L);

        Answer answer = customer.product(7);

        assertThat(answer.source()).isEqualTo("cache");
        long oldest = Duration.ofNanos(System.nanoTime() - before).toSeconds();
        assertThat(Long.parseLong(answer.header("X-Data-Age").orElseThrow())).isBetween(1L, oldest);
        assertThat(answer.json().get("product").get("value").get("priceCents").asLong())
                .isPositive();
    }

    @Test
    void while_the_catalog_hangs_nobody_waits_longer_than_timeout_and_budget() {
        customer.fault("catalog", HANG);
        customer.fault("replica", HANG);
        List<Integer> fallbackMillis = new ArrayList<>();
        for (long id = 100; id < 115; id++) {
            long before = System.nanoTime();

            Answer answer = customer.product(id);

            long took = Duration.ofNanos(System.nanoTime() - before).toMillis();
            assertThat(took).isLessThan(TIMEOUT_MILLIS + BUDGET_MILLIS + 500);
            assertThat(answer.source()).isEqualTo("static");
            assertThat(answer.header("X-Degraded-Trigger")).contains("timeout");
            fallbackMillis.add(
                    Integer.parseInt(answer.header("X-Fallback-Elapsed").orElseThrow()));
        }
        Collections.sort(fallbackMillis);
        assertThat(fallbackMillis.get(fallbackMillis.size() / 2)).isLessThanOrEqualTo(BUDGET_MILLIS + 20);
    }

    @Test
    void an_unknown_id_is_404_and_a_word_is_400_and_neither_moves_the_breaker() {
        for (int call = 0; call < 25; call++) {
            Answer unknown = customer.product(1_000_000 + call);
            assertThat(unknown.status()).isEqualTo(404);
            assertThat(unknown.json().get("detail").asText()).contains("no product has the id");
            Answer word = customer.get("products/lamp");
            assertThat(word.status()).isEqualTo(400);
            assertThat(word.header("Content-Type")).contains("application/problem+json");
            assertThat(word.json().get("detail").asText()).isEqualTo("the id of a product is a number, was \"lamp\"");
        }

        JsonNode state = state("GetProduct");
        assertThat(circuit("GetProduct")).isEqualTo("closed");
        assertThat(state.get("outcomes").get("bad_request").asLong()).isEqualTo(25);
        assertThat(state.get("received").asLong()).isEqualTo(25);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            catalog | {"mode":"broken"}                 | 400 | mode
            catalog | {"mode":"slow"}                   | 400 | latencyMs
            catalog | {"mode":"errors","errorRate":1.5} | 400 | errorRate
            catalog | not json                          | 400 | mode
            cellar  | {"mode":"up"}                     | 404 | catalog, replica, stock, recommendations
            """)
    void a_wrong_fault_says_what_is_allowed(String backend, String body, int status, String says) {
        Answer answer = customer.fault(backend, body);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().get("detail").asText()).contains(says);
        assertThat(customer.get("faults").json().get("catalog").get("mode").asText())
                .isEqualTo("up");
    }

    @Test
    void recommendations_that_hang_never_slow_the_product_down() {
        customer.product(1);
        customer.fault("recommendations", HANG);

        for (int call = 0; call < 30; call++) {
            Answer answer = customer.product(1 + call);

            assertThat(answer.source()).isEqualTo("primary");
            assertThat(answer.json().get("stock").get("source").asText()).isEqualTo("primary");
            assertThat(answer.json().get("recommendations").get("source").asText())
                    .isIn("cache", "static");
            assertThat(answer.json().get("recommendations").get("elapsedMillis").asDouble())
                    .isLessThan(TIMEOUT_MILLIS * 10);
        }
        assertThat(circuit("GetRecommendations")).isEqualTo("open");
        assertThat(circuit("GetProduct")).isEqualTo("closed");
    }

    @Test
    void a_broken_catalog_is_left_alone_the_replica_gets_no_more_than_it_bears_and_healing_is_noticed()
            throws Exception {
        shop.backends().replica().resetMaxConcurrent();
        customer.fault("catalog", DOWN);
        customer.fault("replica", "{\"mode\":\"slow\",\"latencyMs\":30}");
        Map<String, Integer> sources = crowd(40, 50);

        assertThat(sources.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(40 * 50);
        assertThat(sources.keySet()).isSubsetOf("spare", "cache", "static");
        assertThat(shop.backends().replica().maxConcurrent()).isBetween(1, 5);
        assertThat(circuit("GetProduct")).isIn("open", "half_open");

        customer.fault("catalog", UP);
        long healed = System.nanoTime();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> customer.product(1).source().equals("primary"));
        assertThat(Duration.ofNanos(System.nanoTime() - healed)).isLessThan(Duration.ofSeconds(2 * 5));
    }

    @Test
    void an_open_breaker_asks_the_catalog_nothing() {
        customer.fault("catalog", ERRORS);
        await().until(() -> {
            customer.product(1);
            return circuit("GetProduct").equals("open");
        });
        long asked = shop.backends().catalog().requests();

        Answer answer = customer.product(1);

        assertThat(answer.header("X-Degraded-Trigger")).contains("short_circuited");
        assertThat(shop.backends().catalog().requests()).isEqualTo(asked);
    }

    @Test
    void at_rest_state_and_meters_say_exactly_what_the_customers_counted() throws Exception {
        assertThat(meter("fallback_source_total", "command=\"GetProduct\"", "source=\"static\""))
                .isZero();
        Map<String, Integer> sources = new HashMap<>();
        String slow = "{\"mode\":\"slow\",\"latencyMs\":200}";
        for (String fault : List.of(UP, slow, "{\"mode\":\"errors\",\"errorRate\":0.3}", DOWN)) {
            customer.fault("catalog", fault);
            customer.fault("replica", fault.equals(DOWN) ? DOWN : UP);
            crowd(8, 25).forEach((source, count) -> sources.merge(source, count, Integer::sum));
        }
        int unknown = 12;
        customer.fault("catalog", UP);
        await().until(() -> {
            String source = customer.product(1).source();
            sources.merge(source, 1, Integer::sum);
            return source.equals("primary");
        });
        for (int call = 0; call < unknown; call++) {
            assertThat(customer.product(99_999).status()).isEqualTo(404);
        }

        JsonNode state = state("GetProduct");
        int all = sources.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(state.get("inFlight").asLong()).isZero();
        assertThat(state.get("received").asLong()).isEqualTo(all + unknown);
        assertThat(state.get("outcomes").get("bad_request").asLong()).isEqualTo(unknown);
        for (String source : List.of("primary", "spare", "cache", "static")) {
            long counted = sources.getOrDefault(source, 0);
            assertThat(state.get("served").get(source).asLong()).as(source).isEqualTo(counted);
            assertThat(meter("degradable_calls_total", "command=\"GetProduct\"", "source=\"" + source + "\""))
                    .as(source)
                    .isEqualTo(counted);
            if (!source.equals("primary")) {
                assertThat(meter("fallback_source_total", "command=\"GetProduct\"", "source=\"" + source + "\""))
                        .as(source)
                        .isEqualTo(counted);
            }
        }
        assertThat(meter("degradable_calls_total", "command=\"GetProduct\"", "outcome=\"bad_request\""))
                .isEqualTo(unknown);
        assertThat(meter("degradable_events_total", "command=\"GetProduct\"", "event=\"FALLBACK_SUCCESS\""))
                .isEqualTo(all - sources.getOrDefault("primary", 0));
    }

    /** The sum of a meter's lines that have all these tags. */
    private long meter(String name, String... tags) {
        Pattern line = Pattern.compile("^" + name + "\\{(.*)} ([0-9.E+]+)$", Pattern.MULTILINE);
        Matcher lines = line.matcher(customer.text("metrics"));
        double sum = 0;
        boolean found = false;
        while (lines.find()) {
            if (List.of(tags).stream().allMatch(lines.group(1)::contains)) {
                sum += Double.parseDouble(lines.group(2));
                found = true;
            }
        }
        assertThat(found).as("a line %s%s", name, List.of(tags)).isTrue();
        return (long) sum;
    }

    /** So many customers at once ask for so many products each; counts who answered them. */
    private Map<String, Integer> crowd(int customers, int each) throws Exception {
        ExecutorService crowd = Executors.newFixedThreadPool(customers);
        try {
            CyclicBarrier start = new CyclicBarrier(customers);
            AtomicInteger id = new AtomicInteger();
            List<Future<Map<String, Integer>>> counts = new ArrayList<>();
            for (int person = 0; person < customers; person++) {
                counts.add(crowd.submit(() -> {
                    Map<String, Integer> sources = new HashMap<>();
                    start.await();
                    for (int call = 0; call < each; call++) {
                        Answer answer = customer.product(1 + id.getAndIncrement() % 300);
                        assertThat(answer.status()).isEqualTo(200);
                        sources.merge(answer.source(), 1, Integer::sum);
                    }
                    return sources;
                }));
            }
            Map<String, Integer> all = new HashMap<>();
            for (Future<Map<String, Integer>> count : counts) {
                count.get().forEach((source, number) -> all.merge(source, number, Integer::sum));
            }
            return all;
        } finally {
            crowd.shutdownNow();
        }
    }
}
