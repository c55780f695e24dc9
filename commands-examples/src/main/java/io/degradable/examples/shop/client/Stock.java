package io.degradable.examples.shop.client;

import javax.annotation.Nullable;

/**
 * How many of a product there are.
 *
 * @param available how many, or null when nobody can say; never a 0 that only means so
 * @param notice what the customer is to know about it; there is one whenever there is no number
 */
public record Stock(
        long id, @Nullable Integer available, @Nullable String notice) {

    public Stock {
        if (available == null) {
            if (notice == null || notice.isBlank()) {
                throw new IllegalArgumentException("notice must say something when available is null, was " + notice);
            }
        } else if (available < 0) {
            throw new IllegalArgumentException("available must not be negative, was " + available);
        }
    }

    /** What the stock service knows. */
    public static Stock of(long id, int available) {
        return new Stock(id, available, null);
    }
}
