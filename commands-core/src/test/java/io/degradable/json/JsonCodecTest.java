package io.degradable.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.degradable.cache.Codec;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies in JSON: what one instance writes another reads, also a newer one; what is not whole is not read. */
final class JsonCodecTest {

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Product(String name, int priceCents, @Nullable String notice) {}

    private static final JsonCodec<Product> PRODUCTS = JsonCodec.of(Product.class);

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static <T> T decoded(Codec<T> codec, String json) throws Exception {
        return codec.decode(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void what_was_written_is_read() throws Exception {
        Product product = new Product("Köln \"1\"", 7, null);

        byte[] bytes = PRODUCTS.encode(product);

        assertThat(text(bytes)).isEqualTo("{\"name\":\"Köln \\\"1\\\"\",\"notice\":null,\"priceCents\":7}");
        assertThat(PRODUCTS.decode(bytes)).isEqualTo(product);
    }

    @Test
    void a_newer_instance_may_write_more() throws Exception {
        assertThat(decoded(PRODUCTS, "{\"color\":\"red\",\"priceCents\":7,\"name\":\"a\",\"notice\":\"b\"}"))
                .isEqualTo(new Product("a", 7, "b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "7",
                "{",
                "{\"name\":\"a\",\"notice\":null}",
                "{\"priceCents\":7,\"notice\":null}",
                "{\"priceCents\":7,\"name\":\"a\"}",
                "{\"priceCents\":null,\"name\":\"a\",\"notice\":null}",
                "{\"priceCents\":\"7\",\"name\":\"a\",\"notice\":null}",
                "{\"priceCents\":7.5,\"name\":\"a\",\"notice\":null}",
                "{\"priceCents\":7,\"priceCents\":8,\"name\":\"a\",\"notice\":null}",
                "{\"priceCents\":7,\"name\":\"a\",\"notice\":null} 7",
            })
    void what_is_not_whole_is_not_read(String json) {
        assertThatThrownBy(() -> decoded(PRODUCTS, json)).isNotInstanceOf(AssertionError.class);
    }

    @Test
    void equal_keys_have_equal_bytes() throws Exception {
        JsonCodec<Map<String, Integer>> maps = JsonCodec.of(new TypeReference<>() {});
        Map<String, Integer> one = new LinkedHashMap<>();
        one.put("a", 1);
        one.put("b", 2);
        Map<String, Integer> other = new LinkedHashMap<>();
        other.put("b", 2);
        other.put("a", 1);

        assertThat(one).isEqualTo(other);
        assertThat(maps.encode(one)).isEqualTo(maps.encode(other));
    }

    @Test
    void the_name_has_the_whole_type() {
        assertThat(PRODUCTS.name()).isEqualTo("json:io.degradable.json.JsonCodecTest$Product");
        assertThat(JsonCodec.of(new TypeReference<List<Product>>() {}).name())
                .isEqualTo("json:java.util.List<io.degradable.json.JsonCodecTest$Product>");
    }

    @Test
    void a_mapper_of_the_user_is_as_strict_and_is_left_as_it_is() throws Exception {
        JsonMapper given = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build();
        JsonCodec<Product> snakes = PRODUCTS.with(given);

        byte[] bytes = snakes.encode(new Product("a", 7, null));

        assertThat(text(bytes)).isEqualTo("{\"name\":\"a\",\"notice\":null,\"price_cents\":7}");
        assertThat(snakes.decode(bytes)).isEqualTo(new Product("a", 7, null));
        assertThatThrownBy(() -> decoded(snakes, "{\"price_cents\":null,\"name\":\"a\",\"notice\":null}"))
                .hasMessageContaining("Cannot map `null` into type `int`");
        assertThat(given.writeValueAsString(new Product("a", 7, null))).doesNotContain("notice");
    }

    /** Shows no fields: what tells two of them apart would not be written. */
    static final class Account {

        private final String customer;

        Account(String customer) {
            this.customer = customer;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Account account && account.customer.equals(customer);
        }

        @Override
        public int hashCode() {
            return customer.hashCode();
        }
    }

    record Purchase(int number, Account account) {}

    @Test
    void a_key_that_shows_no_fields_is_refused_and_not_taken_for_any_other() {
        JsonCodec<Account> accounts = JsonCodec.of(Account.class);
        JsonCodec<Purchase> purchases = JsonCodec.of(Purchase.class);

        assertThatThrownBy(() -> accounts.encode(new Account("alice"))).hasMessageContaining("No serializer found");
        assertThatThrownBy(() -> purchases.encode(new Purchase(1, new Account("alice"))))
                .hasMessageContaining("No serializer found");
    }
}
