package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.model.CommandResult;
import java.time.Duration;
import javax.annotation.Nullable;

/** What {@code GET /products/{id}} shows: three answers, each with where it comes from. */
record ProductPage(Section<Product> product, Section<Stock> stock, Section<Recommendations> recommendations) {

    static ProductPage of(
            long id,
            CommandResult<Product> product,
            CommandResult<Stock> stock,
            CommandResult<Recommendations> recommendations) {
        return new ProductPage(product(id, product), Section.of(stock), Section.of(recommendations));
    }

    /** The template behind the snapshot is one for all ids, and a page must not show another one than was asked for. */
    private static Section<Product> product(long id, CommandResult<Product> result) {
        Section<Product> section = Section.of(result);
        Product found = section.value();
        return found.id() == id
                ? section
                : section.with(
                        new Product(id, found.name() + " " + id, found.priceCents(), found.currency(), found.notice()));
    }

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

        /** Another value of the same provenance. */
        Section<T> with(T other) {
            return new Section<>(other, source, ageSeconds, trigger, elapsedMillis);
        }
    }
}
