package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BackendsTest {
    private Backends backends;

    @BeforeEach
    void start() throws Exception {
        backends = Backends.start();
    }

    @AfterEach
    void end() {
        backends.close();
    }

    @Test
    void backends_are_known_by_name() {
        assertThat(backends.all())
                .extracting(Backend::name)
                .containsExactly("catalog", "replica", "stock", "recommendations", "orders", "accounts");
        assertThat(backends.all()).allSatisfy(backend -> {
            assertThat(backends.find(backend.name())).isSameAs(backend);
            assertThat(backend.fault()).isEqualTo(Fault.up());
        });
        assertThat(backends.find("nothing")).isNull();
        assertThat(backends.all()).extracting(Backend::uri).doesNotHaveDuplicates();
    }

    @Test
    void catalog_and_replica_hold_the_same_ten_thousand_products_and_each_has_a_price() throws Exception {
        try (CatalogBackend one = new CatalogBackend("one");
                CatalogBackend other = new CatalogBackend("other")) {
            Set<String> names = new HashSet<>();
            for (long id = 1; id <= 10_000; id++) {
                CatalogBackend.Product product = one.find(id);

                assertThat(product).isNotNull().isEqualTo(other.find(id));
                assertThat(product.priceCents()).isPositive();
                names.add(product.name());
            }
            assertThat(names).hasSize(10_000);
            assertThat(one.find(0)).isNull();
            assertThat(one.find(10_001)).isNull();
        }
    }

    @Test
    void product_is_answered_as_json_and_an_unknown_one_is_not_found() throws Exception {
        try (Probe catalog = new Probe(backends.catalog());
                Probe replica = new Probe(backends.replica())) {
            var answer = catalog.get("/products/1");

            assertThat(answer.body())
                    .isEqualTo("{\"id\":1,\"name\":\"Walnut Table 1\",\"priceCents\":8118,\"currency\":\"EUR\"}");
            assertThat(replica.get("/products/1").body()).isEqualTo(answer.body());
            assertThat(catalog.status("/products/10001")).isEqualTo(404);
            assertThat(new JsonMapper()
                            .readTree(catalog.get("/products/10001").body())
                            .get("error"))
                    .isNotNull();
        }
    }

    @Test
    void products_are_exported_page_by_page_until_a_page_is_empty() throws Exception {
        try (Probe catalog = new Probe(backends.catalog())) {
            JsonNode page = new JsonMapper()
                    .readTree(catalog.get("/products/after/9997/2").body())
                    .get("products");

            assertThat(page).extracting(product -> product.get("id").asInt()).containsExactly(9_998, 9_999);
            assertThat(catalog.get("/products/after/10000/5000").body()).isEqualTo("{\"products\":[]}");
            assertThat(catalog.status("/products/after/none/5000")).isEqualTo(404);
        }
    }

    @Test
    void recommendations_are_four_other_products() throws Exception {
        try (Probe probe = new Probe(backends.recommendations())) {
            for (int id : List.of(1, 42, 9_999, 10_000)) {
                JsonNode answer = new JsonMapper()
                        .readTree(probe.get("/recommendations/" + id).body());

                assertThat(answer.get("id").asInt()).isEqualTo(id);
                assertThat(answer.get("products"))
                        .hasSize(4)
                        .doesNotHaveDuplicates()
                        .allSatisfy(product ->
                                assertThat(product.asInt()).isBetween(1, 10_000).isNotEqualTo(id));
            }
            assertThat(probe.status("/recommendations/0")).isEqualTo(404);
        }
    }

    @Test
    void fault_of_one_backend_does_not_touch_the_others() throws Exception {
        try (Probe catalog = new Probe(backends.catalog());
                Probe replica = new Probe(backends.replica())) {
            backends.catalog().set(Fault.errors(1));

            assertThat(catalog.status("/products/1")).isEqualTo(500);
            assertThat(replica.status("/products/1")).isEqualTo(200);
        }
    }

    @Test
    void all_close_quickly_while_requests_hang_in_each() {
        backends.all().forEach(backend -> backend.set(Fault.hang()));
        try (Sockets clients = new Sockets()) {
            backends.all().forEach(backend -> clients.ask(100, backend.uri(), "/any"));
            await().pollInterval(Duration.ofMillis(2))
                    .until(() -> backends.all().stream().allMatch(backend -> backend.inFlight() == 100));

            assertTimeout(BackendTest.NO_WAIT, backends::close);

            clients.assertAllCut();
        }
    }
}
