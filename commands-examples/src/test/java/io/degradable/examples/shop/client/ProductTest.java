package io.degradable.examples.shop.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProductTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            Lamp | 0    | EUR  | null | priceCents must be positive, or null when it is to be confirmed, was 0
            Lamp | -1   | EUR  | soon | priceCents must be positive, or null when it is to be confirmed, was -1
            Lamp | null | EUR  | null | notice must say something when priceCents is null, was null
            Lamp | null | EUR  | ' '  | notice must say something when priceCents is null, was
            null | 1    | EUR  | null | name must not be empty, was null
            ' '  | 1    | EUR  | null | name must not be empty, was
            Lamp | 1    | null | null | currency must not be empty, was null
            """)
    void wrong_products_are_refused(
            String name, @Nullable Long priceCents, String currency, @Nullable String notice, String message) {
        assertThatThrownBy(() -> new Product(1, name, priceCents, currency, notice))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void price_may_be_open_when_the_notice_says_so() {
        Product product = new Product(1, "Lamp", null, "EUR", "price to be confirmed");

        assertThat(product.priceCents()).isNull();
        assertThat(product.notice()).isEqualTo("price to be confirmed");
    }

    @Test
    void price_may_come_with_a_notice_or_without_one() {
        assertThat(new Product(1, "Lamp", 1L, "EUR", null).priceCents()).isEqualTo(1);
        assertThat(new Product(1, "Lamp", 1L, "EUR", "last one").notice()).isEqualTo("last one");
    }

    @Test
    void stock_is_not_negative() {
        assertThatThrownBy(() -> Stock.of(1, -1)).hasMessage("available must not be negative, was -1");
        assertThat(Stock.of(1, 0).available()).isZero();
    }

    @Test
    void recommendations_do_not_change_with_the_list_they_were_made_of() {
        List<Long> products = new ArrayList<>(List.of(2L, 3L));
        Recommendations recommendations = new Recommendations(1, products, null);
        products.clear();

        assertThat(recommendations.products()).containsExactly(2L, 3L);
    }
}
