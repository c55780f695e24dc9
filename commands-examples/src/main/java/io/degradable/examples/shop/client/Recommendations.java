package io.degradable.examples.shop.client;

import java.util.List;
import javax.annotation.Nullable;

/**
 * Which products go with a product.
 *
 * @param notice what the customer is to know about the list
 */
public record Recommendations(
        long id, List<Long> products, @Nullable String notice) {

    public Recommendations {
        products = List.copyOf(products);
    }
}
