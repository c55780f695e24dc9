package io.degradable.examples.shop.client;

import javax.annotation.Nullable;

/**
 * A product as the shop shows it.
 *
 * @param priceCents the price, or null when it is to be confirmed; never 0, which would be an offer
 * @param notice what the customer is to know about it; there is one whenever there is no price
 */
public record Product(
        long id,
        String name,
        @Nullable Long priceCents,
        String currency,
        @Nullable String notice) {

    public Product {
        requireText("name", name);
        requireText("currency", currency);
        if (priceCents == null) {
            if (notice == null || notice.isBlank()) {
                throw new IllegalArgumentException("notice must say something when priceCents is null, was " + notice);
            }
        } else if (priceCents <= 0) {
            throw new IllegalArgumentException(
                    "priceCents must be positive, or null when it is to be confirmed, was " + priceCents);
        }
    }

    /** Null is possible here in spite of the type: a service elsewhere may have left the field out. */
    private static void requireText(String field, @Nullable String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(field + " must not be empty, was " + text);
        }
    }
}
