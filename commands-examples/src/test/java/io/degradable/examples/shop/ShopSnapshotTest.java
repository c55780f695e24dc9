package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.examples.shop.Customer.Answer;
import io.degradable.examples.shop.client.CatalogPages;
import io.degradable.examples.shop.client.Product;
import io.degradable.testing.ManualTicker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** D3: what a visitor sees of a product that nobody can be asked for, and what becomes of the export behind it. */
@Timeout(90)
final class ShopSnapshotTest {

    private static final String DOWN = "{\"mode\":\"down\"}";

    private static Customer withCatalogsDown(Shop shop) {
        Customer customer = new Customer(shop.uri());
        customer.fault("catalog", DOWN);
        customer.fault("replica", DOWN);
        return customer;
    }

    private static String name(Answer answer) {
        return answer.json().get("product").get("value").get("name").asText();
    }

    @Test
    void a_product_never_read_has_its_name_and_its_price_to_be_confirmed() throws Exception {
        long before = System.nanoTime();
        try (Shop shop = Shop.open(0)) {
            long open = System.nanoTime();
            await().until(() -> System.nanoTime() - open > 1_200_000_000L);

            Answer answer = withCatalogsDown(shop).product(9_876); // on the second page

            long oldest = Duration.ofNanos(System.nanoTime() - before).toSeconds();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.source()).isEqualTo("static");
            assertThat(Long.parseLong(answer.header("X-Data-Age").orElseThrow()))
                    .isBetween(1L, oldest);
            JsonNode product = answer.json().get("product").get("value");
            assertThat(product.get("id").asLong()).isEqualTo(9_876);
            assertThat(product.get("name").asText()).endsWith(" 9876").doesNotStartWith("Product");
            assertThat(product.get("priceCents").isNull()).isTrue();
            assertThat(product.get("currency").asText()).isEqualTo("EUR");
            assertThat(product.get("notice").asText()).isEqualTo("price to be confirmed");

            new Customer(shop.uri()).fault("catalog", "{\"mode\":\"up\"}");
            assertThat(name(new Customer(shop.uri()).product(9_876)))
                    .isEqualTo(product.get("name").asText());
        }
    }

    @Test
    void what_the_snapshot_has_not_is_the_template_under_the_id_that_was_asked_for() throws Exception {
        try (Shop shop = Shop.open(0)) {
            Customer customer = withCatalogsDown(shop);
            customer.fault("stock", DOWN); // or it would say that there is no such product
            customer.fault("recommendations", DOWN);

            Answer answer = customer.product(99_999);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.source()).isEqualTo("static");
            assertThat(answer.header("X-Data-Age")).isEmpty();
            JsonNode product = answer.json().get("product").get("value");
            assertThat(product.get("id").asLong()).isEqualTo(99_999);
            assertThat(product.get("name").asText()).isEqualTo("Product 99999");
            assertThat(product.get("priceCents").isNull()).isTrue();
        }
    }

    @Test
    void two_shops_do_not_disturb_each_other_and_leave_no_thread_behind() throws Exception {
        try (Shop first = Shop.open(0)) {
            Customer customer = withCatalogsDown(first);
            try (Shop second = Shop.open(0)) {
                assertThat(name(customer.product(100))).doesNotStartWith("Product");
                assertThat(name(withCatalogsDown(second).product(100))).doesNotStartWith("Product");
            }

            Answer answer = customer.product(101);

            assertThat(name(answer)).doesNotStartWith("Product");
            assertThat(answer.header("X-Data-Age")).isPresent();
        }
        assertThat(ProductSnapshot.PRODUCTS.find(100L)).isNull();
        assertThat(ProductSnapshot.PRODUCTS.view().version()).isZero();
        await().atMost(10, TimeUnit.SECONDS) // each says it has ended a moment before it has
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("degradable-snapshot-")));
    }

    private static CatalogPages catalog(String name) {
        return (after, size) -> LongStream.rangeClosed(after + 1, Math.min(10, after + size))
                .mapToObj(id -> new Product(id, name + " " + id, 100L, "EUR", null))
                .toList();
    }

    @Test
    void an_hour_later_the_products_are_exported_again_and_a_catalog_that_fails_leaves_what_there_is()
            throws Exception {
        ManualTicker ticker = new ManualTicker();
        Path directory;
        AtomicReference<CatalogPages> catalog = new AtomicReference<>(catalog("Lamp"));
        try (ProductExport export = ProductExport.open(
                (after, size) -> Objects.requireNonNull(catalog.get()).after(after, size), ticker)) {
            directory = export.directory();
            assertThat(found(7)).isEqualTo("Lamp 7");

            catalog.set((after, size) -> {
                throw new IOException("down");
            });
            ticker.advance(Duration.ofHours(1));
            await().until(() -> export.schedule().failed() == 1);
            assertThat(found(7)).isEqualTo("Lamp 7");

            catalog.set(catalog("Lantern"));
            ticker.advance(Duration.ofHours(1));
            await().until(() -> export.schedule().built() == 1);
            await().until(() -> {
                ticker.advance(Duration.ofSeconds(30)); // when the reader looks again
                return found(7).equals("Lantern 7");
            });
        }
        assertThat(directory).doesNotExist();
    }

    @Test
    void a_shop_opens_without_an_export_and_finds_nothing() throws Exception {
        CatalogPages down = (after, size) -> {
            throw new IOException("down");
        };
        try (ProductExport export = ProductExport.open(down, new ManualTicker())) {
            assertThat(export.schedule().built()).isZero();
            assertThat(ProductSnapshot.PRODUCTS.find(7L)).isNull();
            assertThat(ProductSnapshot.PRODUCTS.view().version()).isZero();
        }
    }

    private static String found(long id) throws Exception {
        return Objects.requireNonNull(ProductSnapshot.PRODUCTS.find(id)).value().name();
    }
}
