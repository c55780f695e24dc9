package io.degradable.examples.shop.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.degradable.examples.shop.backend.Backend;
import io.degradable.examples.shop.backend.Backends;
import io.degradable.examples.shop.backend.Fault;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackendClientsTest {
    private Backends backends;
    private BackendClients clients;

    @BeforeAll
    void start() throws Exception {
        backends = Backends.start();
        clients = new BackendClients();
    }

    @AfterEach
    void heal() {
        backends.all().forEach(backend -> backend.set(Fault.up()));
    }

    @AfterAll
    void end() {
        clients.close();
        backends.close();
    }

    @Test
    void answers_come_as_the_shops_own_words() throws Exception {
        Catalog catalog = clients.catalog(backends.catalog().uri());
        StockService stock = clients.stock(backends.stock().uri());
        RecommendationService recommendations =
                clients.recommendations(backends.recommendations().uri());

        assertThat(catalog.find(1)).isEqualTo(new Product(1, "Walnut Table 1", 8_118L, "EUR", null));
        assertThat(stock.find(7)).isEqualTo(Stock.of(7, 19));
        assertThat(recommendations.find(1).products()).containsExactly(2_478L, 4_955L, 7_432L, 9_909L);
    }

    @Test
    void pages_of_products_end_with_an_empty_one_and_nonsense_is_no_end() throws Exception {
        CatalogPages pages = clients.catalogPages(backends.catalog().uri());

        assertThat(pages.after(0, 2)).extracting(Product::id).containsExactly(1L, 2L);
        assertThat(pages.after(10_000, 2)).isEmpty();
        backends.catalog().set(Fault.errors(1));
        assertThatThrownBy(() -> pages.after(0, 2)).isInstanceOf(BackendException.class);
        try (OneAnswer nonsense = new OneAnswer("{}")) {
            assertThatThrownBy(() -> clients.catalogPages(nonsense.uri()).after(0, 2))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the catalog answered without a list");
        }
    }

    @Test
    void unknown_product_is_said_by_a_class_of_its_own() {
        for (long id : new long[] {0, -1, 10_001, Long.MAX_VALUE}) {
            assertUnknown(id, () -> clients.catalog(backends.catalog().uri()).find(id));
            assertUnknown(id, () -> clients.stock(backends.stock().uri()).find(id));
            assertUnknown(
                    id,
                    () -> clients.recommendations(backends.recommendations().uri())
                            .find(id));
        }
    }

    private static void assertUnknown(long id, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UnknownProductException.class, e -> assertThat(e.id()).isEqualTo(id));
    }

    @Test
    void other_status_is_a_failure_that_names_it() {
        backends.catalog().set(Fault.errors(1));

        assertThatThrownBy(() -> clients.catalog(backends.catalog().uri()).find(1))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.status()).isEqualTo(500))
                .hasMessageContaining("500");
    }

    @Test
    void backend_that_is_down_is_an_io_exception_and_heals() throws Exception {
        Catalog catalog = clients.catalog(backends.catalog().uri());
        backends.catalog().set(Fault.down());

        assertThatThrownBy(() -> catalog.find(1)).isInstanceOf(IOException.class);

        backends.catalog().set(Fault.up());
        assertThat(catalog.find(1).id()).isEqualTo(1);
    }

    @Test
    void an_order_counts_as_not_done_only_when_that_is_certain() throws Exception { // S11
        OrderService orders = clients.orders(backends.orders().uri());
        NewOrder order = new NewOrder("ben", "certain", 7, 1);
        backends.orders().set(Fault.errors(1));
        assertThatThrownBy(() -> orders.place(order)).isInstanceOf(NotDoneException.class);

        backends.orders().set(Fault.hang());
        CompletableFuture<Order> cut = CompletableFuture.supplyAsync(() -> {
            try {
                return orders.place(order);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        await().until(() -> backends.orders().inFlight() == 1);
        backends.orders().set(Fault.down());
        assertThatThrownBy(cut::join).hasCauseInstanceOf(IOException.class);

        try (OneAnswer nonsense = new OneAnswer("nonsense")) {
            assertThatThrownBy(() -> clients.orders(nonsense.uri()).place(order))
                    .isInstanceOf(BackendException.class);
        }
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        assertThatThrownBy(() ->
                        clients.orders(URI.create("http://127.0.0.1:" + port)).place(order))
                .isInstanceOf(NotDoneException.class);
    }

    @Test
    void an_answer_that_leaves_out_what_was_asked_is_neither_an_empty_list_nor_a_yes() throws Exception { // H6, S12
        try (OneAnswer backend = new OneAnswer("{}")) {
            OrderService orders = clients.orders(backend.uri());
            AccountService accounts = clients.accounts(backend.uri());

            assertThatThrownBy(() -> orders.of("ben")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> accounts.login("ben", "x")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> accounts.customerOf("x")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void interrupt_ends_a_call_as_it_is_and_closes_its_connection() throws Exception {
        Backend backend = backends.catalog();
        backend.set(Fault.hang());
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                ended.complete(new AssertionError(
                        "answered: " + clients.catalog(backend.uri()).find(1)));
            } catch (Throwable e) {
                ended.complete(e);
            }
        });
        caller.start();
        await().until(() -> backend.inFlight() == 1);

        caller.interrupt();

        assertThat(ended.join()).isExactlyInstanceOf(InterruptedException.class);
        await().until(() -> backend.inFlight() == 0);
    }

    @Test
    void answer_that_is_no_product_is_an_io_exception() throws Exception {
        for (String body : new String[] {
            "",
            "nonsense",
            "[]",
            "{}",
            "{\"id\":1,\"name\":\"Lamp\",\"currency\":\"EUR\"}",
            "{\"id\":1,\"name\":\"Lamp\",\"priceCents\":0,\"currency\":\"EUR\"}",
            "{\"id\":null,\"name\":\"Lamp\",\"priceCents\":5,\"currency\":\"EUR\"}"
        }) {
            try (OneAnswer backend = new OneAnswer(body)) {
                assertThatThrownBy(() -> clients.catalog(backend.uri()).find(1))
                        .as(body)
                        .isInstanceOf(IOException.class);
            }
        }
        try (OneAnswer backend = new OneAnswer(
                "{\"id\":1,\"name\":\"Lamp\",\"priceCents\":5,\"currency\":\"EUR\",\"colour\":\"red\"}")) {
            assertThat(clients.catalog(backend.uri()).find(1).priceCents()).isEqualTo(5);
        }
    }

    @Test
    void port_where_nobody_listens_is_an_io_exception() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }

        assertThatThrownBy(() ->
                        clients.stock(URI.create("http://127.0.0.1:" + port)).find(1))
                .isInstanceOf(IOException.class);
    }
}
