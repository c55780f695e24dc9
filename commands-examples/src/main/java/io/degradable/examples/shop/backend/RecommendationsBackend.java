package io.degradable.examples.shop.backend;

import java.util.List;
import java.util.stream.LongStream;
import javax.annotation.Nullable;

/** Four other products to a product: computed, so always the same. */
final class RecommendationsBackend implements Answers {
    private static final int HOW_MANY = 4;
    private static final int STEP = 2_477; // no multiple up to HOW_MANY is one of PRODUCTS, so all differ

    record Recommendations(long id, List<Long> products) {}

    @Override
    public String path() {
        return "/recommendations/";
    }

    @Override
    @Nullable
    public Recommendations find(long id) {
        if (!Backends.isProduct(id)) {
            return null;
        }
        List<Long> products = LongStream.rangeClosed(1, HOW_MANY)
                .mapToObj(n -> 1 + (id - 1 + n * STEP) % Backends.PRODUCTS)
                .toList();
        return new Recommendations(id, products);
    }
}
