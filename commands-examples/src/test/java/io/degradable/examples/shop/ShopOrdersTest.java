package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.examples.shop.Customer.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orders and logins while their services fail: what the customers sent and received, against the table of orders. */
@Timeout(90)
final class ShopOrdersTest {

    private static final String UP = "{\"mode\":\"up\"}";
    private static final String DOWN = "{\"mode\":\"down\"}";
    private static final String HANG = "{\"mode\":\"hang\"}";
    private static final String ERRORS = "{\"mode\":\"errors\"}";
    private static final String LATE = "{\"mode\":\"slow\",\"latencyMs\":2000}";

    private static final String ANNA = "{\"customer\":\"anna\",\"password\":\"oak-and-linen\"}";
    private static final String BEN = "{\"customer\":\"ben\",\"password\":\"steel-and-glass\"}";
    private static final String TWO_LAMPS = "{\"productId\":24,\"quantity\":2}";

    /** More calls than any breaker here needs to open. */
    private static final int MANY = 40;

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

    private String login(String who) {
        Answer answer = customer.post("login", who);
        assertThat(answer.status()).isEqualTo(200);
        return answer.json().get("token").asText();
    }

    private Answer order(String token, String key, String body) {
        return customer.post("orders", body, "Authorization", "Bearer " + token, "Idempotency-Key", key);
    }

    private Answer orders(String token) {
        return customer.get("orders", "Authorization", "Bearer " + token);
    }

    private static long number(Answer taken) {
        assertThat(taken.status()).isEqualTo(201);
        return taken.json().get("number").asLong();
    }

    private Map<String, List<Long>> table() throws Exception {
        return shop.backends().ordersInTable("ben");
    }

    private static void assertRefused(Answer answer, String says) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.json().get("detail").asText()).contains(says);
        assertThat(answer.source()).isEqualTo("none");
    }

    private static void assertComeAgainWithinFiveSeconds(Answer refused) {
        assertThat(refused.header("X-Degraded-Trigger")).contains("short_circuited");
        assertThat(Integer.parseInt(refused.header("Retry-After").orElseThrow()))
                .isBetween(1, 5);
    }

    @Test
    void an_order_is_taken_once_however_often_it_is_sent() throws Exception {
        String ben = login(BEN);

        long number = number(order(ben, "lamps", TWO_LAMPS));
        long again = number(order(ben, "lamps", TWO_LAMPS));
        Answer other = order(ben, "lamps", "{\"productId\":24,\"quantity\":3}");
        long annas = number(order(login(ANNA), "lamps", TWO_LAMPS));

        assertThat(again).isEqualTo(number);
        assertThat(other.status()).isEqualTo(422);
        assertThat(annas).as("a key is its customer's own").isNotEqualTo(number);
        assertThat(table()).isEqualTo(Map.of("lamps", List.of(number)));
    }

    @Test
    void what_is_no_order_is_refused_with_the_reason() throws Exception {
        String ben = login(BEN);

        Answer keyless = customer.post("orders", TWO_LAMPS, "Authorization", "Bearer " + ben);
        Map<Answer, String> wrong = new LinkedHashMap<>();
        wrong.put(keyless, "Idempotency-Key");
        wrong.put(order(ben, "a/b", TWO_LAMPS), "Idempotency-Key");
        wrong.put(order(ben, "key", "{\"productId\":24,\"quantity\":0}"), "quantity must be from 1 to 100");
        wrong.put(order(ben, "key", "{\"productId\":24}"), "a productId and a quantity");
        wrong.put(order(ben, "key", "{\"productId\":24,\"quantity\":1.5}"), "a productId and a quantity");
        wrong.put(order(ben, "key", "lamps"), "a productId and a quantity");
        Answer unknown = order(ben, "key", "{\"productId\":99999,\"quantity\":1}");

        wrong.forEach((answer, says) -> {
            assertThat(answer.status()).as(says).isEqualTo(400);
            assertThat(answer.json().get("detail").asText()).contains(says);
        });
        assertThat(unknown.status()).isEqualTo(422);
        assertThat(unknown.json().get("detail").asText()).isEqualTo("no product has the id 99999");
        assertThat(table()).isEmpty();
    }

    @Test
    @DisplayName("S11: an order of which nobody knows the end is pending, never taken, and done once when asked again")
    void an_order_of_which_nobody_knows_the_end_is_pending_and_done_once_when_asked_again() throws Exception {
        String ben = login(BEN);
        customer.fault("orders", HANG);

        Answer unknown = order(ben, "lamps", TWO_LAMPS);
        customer.fault("orders", UP); // what hangs there is done now, beside what asks again
        long number = number(order(ben, "lamps", TWO_LAMPS));

        assertPending(unknown);
        await().until(() -> shop.backends().orders().inFlight() == 0);
        assertThat(table()).isEqualTo(Map.of("lamps", List.of(number)));
    }

    @Test
    @DisplayName("S11: an order whose connection breaks on the way is pending, since it may have arrived")
    void an_order_whose_connection_breaks_on_the_way_is_pending() throws Exception {
        String ben = login(BEN);
        customer.fault("orders", HANG);

        CompletableFuture<Answer> unknown = CompletableFuture.supplyAsync(() -> order(ben, "lamps", TWO_LAMPS));
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> shop.backends().orders().inFlight() == 1);
        customer.fault("orders", DOWN);

        assertPending(unknown.join());
        assertThat(table()).isEmpty();
        customer.fault("orders", UP);
        long number = number(order(ben, "lamps", TWO_LAMPS));
        assertThat(table()).isEqualTo(Map.of("lamps", List.of(number)));
    }

    private static void assertPending(Answer answer) {
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.json().has("number")).as("no made-up success").isFalse();
        assertThat(answer.json().get("status").asText()).isEqualTo("pending");
        assertThat(answer.json().get("operationId").asText()).isEqualTo("lamps");
        assertThat(answer.json().get("notice").asText()).contains("cannot say yet", "same Idempotency-Key");
        JsonNode askAgain = answer.json().get("askAgain");
        assertThat(askAgain.get("method").asText() + " " + askAgain.get("path").asText())
                .isEqualTo("POST /orders");
        assertThat(askAgain.get("Idempotency-Key").asText()).isEqualTo("lamps");
    }

    @Test
    @DisplayName("S11: what a slow service wrote after the caller had gone is the order that is given when asked again")
    void what_a_slow_service_wrote_after_the_caller_had_gone_is_given_when_asked_again() throws Exception {
        String ben = login(BEN);
        customer.fault("orders", LATE);

        Answer unknown = order(ben, "lamps", TWO_LAMPS);
        Map<String, List<Long>> atFirst = table();
        await().until(() -> !table().isEmpty());
        Map<String, List<Long>> written = table();
        customer.fault("orders", UP);
        long number = number(order(ben, "lamps", TWO_LAMPS));

        assertPending(unknown);
        assertThat(atFirst).as("the caller left before it was written").isEmpty();
        assertThat(written).isEqualTo(Map.of("lamps", List.of(number)));
        assertThat(table()).isEqualTo(written);
    }

    @Test
    @DisplayName("S7, S11: an order that was certainly not taken is 503, with Retry-After when the time is known")
    void an_order_that_was_certainly_not_taken_is_503_with_the_time_when_it_is_known() throws Exception {
        String ben = login(BEN);
        customer.fault("orders", ERRORS);

        Answer refused = order(ben, "lamps", TWO_LAMPS);
        for (int call = 0; call < MANY; call++) {
            assertRefused(order(ben, "lamps-" + call, TWO_LAMPS), "was not taken");
        }
        long asked = shop.backends().orders().requests();
        Answer open = order(ben, "lamps", TWO_LAMPS);

        assertRefused(refused, "was not taken");
        assertThat(refused.header("Retry-After")).isEmpty();
        assertRefused(open, "was not taken");
        assertComeAgainWithinFiveSeconds(open);
        assertThat(shop.backends().orders().requests()).isEqualTo(asked);
        assertThat(table()).isEmpty();
    }

    /** What each key was answered: the status, and the number of the order when there was one. */
    private record Seen(String key, int status, long number) {}

    private Seen send(String token, String key) {
        Answer answer = order(token, key, TWO_LAMPS);
        return new Seen(key, answer.status(), answer.status() == 201 ? number(answer) : 0);
    }

    @Test
    @DisplayName(
            "S11: under any fault, taken is in the table, not taken is not, and pending becomes one order when asked")
    void under_any_fault_what_the_customers_were_told_is_what_the_table_holds() throws Exception {
        String ben = login(BEN);
        int customers = 6;
        int each = 4;
        List<Seen> told = new ArrayList<>();
        ExecutorService crowd = Executors.newFixedThreadPool(customers);
        try {
            for (String fault : List.of(UP, DOWN, LATE, ERRORS)) {
                customer.fault("orders", fault);
                List<Future<Seen>> answers = new ArrayList<>();
                for (int call = 0; call < customers * each; call++) {
                    String key = "key-" + told.size() + "-" + call;
                    answers.add(crowd.submit(() -> send(ben, key)));
                }
                for (Future<Seen> answer : answers) {
                    told.add(answer.get());
                }
            }
        } finally {
            crowd.shutdownNow();
        }
        customer.fault("orders", UP);
        await().until(() -> shop.backends().orders().inFlight() == 0);
        Map<String, List<Long>> before = new HashMap<>(table());

        Map<String, List<Long>> expected = new TreeMap<>();
        for (Seen seen : told) {
            switch (seen.status()) {
                case 201 -> {
                    assertThat(before).containsEntry(seen.key(), List.of(seen.number()));
                    expected.put(seen.key(), List.of(seen.number()));
                }
                case 202 -> expected.put(seen.key(), List.of(askUntilTaken(ben, seen.key())));
                case 503 -> assertThat(before).doesNotContainKey(seen.key());
                default -> throw new AssertionError("status " + seen);
            }
        }
        assertThat(told).extracting(Seen::status).contains(201, 202, 503);
        assertThat(table()).isEqualTo(expected);
        for (Map.Entry<String, List<Long>> written : before.entrySet()) {
            assertThat(expected).as("asking again changed nothing").contains(written);
        }
    }

    private long askUntilTaken(String token, String key) {
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(2)) // a breaker that comes back does so by the number of calls
                .until(() -> send(token, key), seen -> seen.status() == 201)
                .number();
    }

    @Test
    @DisplayName("H6: the page of orders tells \"you have none\" from \"we cannot say\", and shows nobody else's")
    void the_page_of_orders_tells_none_from_cannot_say_and_shows_nobody_elses() {
        String anna = login(ANNA);
        String ben = login(BEN);

        Answer annas = orders(anna);
        customer.fault("orders", DOWN);
        Answer annasCopy = orders(anna);
        Answer bens = orders(ben);
        customer.fault("orders", UP);
        Answer none = orders(ben);
        customer.fault("orders", DOWN);
        Answer noneThen = orders(ben);

        assertThat(annas.source()).isEqualTo("primary");
        assertThat(list(annas).get("orders")).hasSize(1);
        assertThat(annasCopy.source()).isEqualTo("cache");
        assertThat(annasCopy.header("X-Data-Age")).isPresent();
        assertThat(list(annasCopy).get("orders")).isEqualTo(list(annas).get("orders"));
        assertThat(list(annasCopy).get("notice").asText()).contains("seconds ago");

        assertThat(bens.status()).isEqualTo(200);
        assertThat(bens.source()).isEqualTo("static");
        assertThat(bens.json().get("known").asBoolean()).isFalse();
        assertThat(list(bens).get("orders").isNull()).as("no list at all").isTrue();
        assertThat(list(bens).get("notice").asText()).contains("cannot show", "none of them is lost");
        assertWayOn(bens);

        assertThat(none.source()).isEqualTo("primary");
        assertThat(none.json().get("known").asBoolean()).isTrue();
        assertThat(list(none).get("orders")).isEmpty();
        assertThat(list(none).get("notice").asText()).isEqualTo("you have no orders yet");

        assertThat(noneThen.source()).isEqualTo("cache");
        assertThat(list(noneThen).get("notice").asText())
                .contains("seconds ago")
                .doesNotContain("you have no");
        assertWayOn(noneThen);
    }

    private static JsonNode list(Answer page) {
        return page.json().get("orders").get("value");
    }

    private static void assertWayOn(Answer page) {
        JsonNode wayOn = list(page).get("wayOn");
        assertThat(wayOn.get("retry").asText()).isEqualTo("/orders");
        assertThat(wayOn.get("hotline").asText()).isNotBlank();
    }

    @Test
    void a_wrong_password_is_401_and_a_locked_account_403_and_neither_opens_a_breaker() {
        for (int call = 0; call < MANY; call++) {
            Answer wrong = customer.post("login", "{\"customer\":\"ben\",\"password\":\"guess-" + call + "\"}");
            assertThat(wrong.status()).isEqualTo(401);
            assertThat(wrong.header("WWW-Authenticate")).isPresent();
        }
        Answer locked = customer.post("login", "{\"customer\":\"carl\",\"password\":\"cork-and-wool\"}");
        Answer nameless = customer.post("login", "{\"password\":\"steel-and-glass\"}");

        assertThat(locked.status()).isEqualTo(403);
        assertThat(nameless.status()).isEqualTo(400);
        assertThat(nameless.json().get("detail").asText()).doesNotContain("steel-and-glass");
        assertThat(login(BEN)).matches("[0-9a-f]{32}");
    }

    @DisplayName("S12: a login that cannot be checked is 503, neither yes nor no")
    @ParameterizedTest
    @ValueSource(strings = {HANG, ERRORS})
    void a_login_that_cannot_be_checked_is_503_with_the_time_when_it_is_known(String fault) {
        customer.fault("accounts", fault);

        Answer first = customer.post("login", BEN);
        for (int call = 0; call < MANY; call++) {
            assertRefused(customer.post("login", BEN), "cannot check just now");
        }
        Answer open = customer.post("login", BEN);

        assertRefused(first, "cannot check just now");
        assertThat(first.header("Retry-After")).isEmpty();
        assertThat(first.header("WWW-Authenticate")).isEmpty();
        assertRefused(open, "cannot check just now");
        assertComeAgainWithinFiveSeconds(open);
    }

    @DisplayName("S12: while a token cannot be checked nothing is ordered and no page is shown, not even a copy")
    @ParameterizedTest
    @ValueSource(strings = {DOWN, HANG})
    void while_a_token_cannot_be_checked_nothing_is_ordered_and_no_copy_is_shown(String fault) throws Exception {
        String ben = login(BEN);
        number(order(ben, "lamps", TWO_LAMPS));
        assertThat(list(orders(ben)).get("orders")).hasSize(1);
        long asked = shop.backends().orders().requests();
        customer.fault("accounts", fault);

        for (int call = 0; call < MANY; call++) {
            Answer page = orders(ben);
            assertRefused(page, "cannot check just now");
            assertThat(page.json().has("orders")).isFalse();
            assertRefused(order(ben, "more-" + call, TWO_LAMPS), "cannot check just now");
        }
        assertComeAgainWithinFiveSeconds(orders(ben));
        assertThat(shop.backends().orders().requests()).isEqualTo(asked);
        assertThat(table()).containsOnlyKeys("lamps");
    }

    @Test
    void without_a_token_of_ours_there_is_nothing_to_see_and_nothing_to_order() throws Exception {
        Answer strangers = orders("0123456789abcdef");
        Answer order = order("0123456789abcdef", "lamps", TWO_LAMPS);
        Answer nobodys = customer.get("orders");
        Answer token = customer.post("login", BEN);

        assertThat(List.of(strangers.status(), order.status(), nobodys.status()))
                .containsOnly(401);
        assertThat(token.header("Cache-Control")).contains("no-store");
        assertThat(table()).isEmpty();
    }
}
