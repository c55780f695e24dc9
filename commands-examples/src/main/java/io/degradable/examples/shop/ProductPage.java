package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.model.CommandResult;
import java.time.Duration;
import javax.annotation.Nullable;

/** What {@code GET /products/{id}} shows: three answers, each with where it comes from. */
record ProductPage(Section<Product> product, Section<Stock> stock, Section<Recommendations> recommendations) {

    /**
     * One answer with its provenance.
     *
     * @param source who gave it
     * @param ageSeconds how old it is; null for a template
     * @param trigger why the primary did not give it; null when it did
     * @param elapsedMillis how long it took
     */
    record Section<T>(
            T value,
            String source,
            @Nullable Long ageSeconds,
            @Nullable String trigger,
            double elapsedMillis) {

        static <T> Section<T> of(CommandResult<T> result) {
            return new Section<>(
                    result.value(),
                    result.source().tag(),
                    result.age().map(Duration::toSeconds).orElse(null),
                    result.degraded() ? result.trigger().tag() : null,
                    result.elapsed().toNanos() / 1e6);
        }
    }
}
