package io.degradable.examples.shop.backend;

import javax.annotation.Nullable;

/** How many of a product there are: computed, so always the same; some are sold out. */
final class StockBackend implements Answers {
    record Stock(long id, int available) {}

    @Override
    public String path() {
        return "/stock/";
    }

    @Override
    @Nullable
    public Stock find(long id) {
        return Backends.isProduct(id) ? new Stock(id, (int) (id * 37 % 120)) : null;
    }
}
