package io.degradable.examples.shop;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.json.JsonCodec;
import java.time.Duration;

/** Where the shop keeps copies of what its backends answered: in memory, and in Redis too when the shop is given one. */
final class Copies {

    /** Redis keeps them longer than anybody is served one, so that "too old" can be told from "never read". */
    static final CacheSpec<Long, Product> PRODUCTS = CacheSpec.<Long, Product>named("products")
            .maximumSize(10_000)
            .stored(Codec.longs(), JsonCodec.of(Product.class))
            .nearFor(Duration.ofMinutes(5))
            .keepFor(Duration.ofMinutes(30));

    /** Stock moves fast: another shop may have read it since, so Redis is asked again after a few seconds. */
    static final CacheSpec<Long, Stock> STOCK = CacheSpec.<Long, Stock>named("stock")
            .stored(Codec.longs(), JsonCodec.of(Stock.class))
            .nearFor(Duration.ofSeconds(5));

    static final CacheSpec<Long, Recommendations> RECOMMENDATIONS = CacheSpec.<Long, Recommendations>named(
                    "recommendations")
            .stored(Codec.longs(), JsonCodec.of(Recommendations.class));

    /**
     * By customer: a key that left the customer out would show one the orders of another. Not stored: who bought what is
     * personal, and would lie in Redis for everybody who can read that, and in its backups after the customer is gone.
     */
    static final CacheSpec<String, OrderList> ORDERS = CacheSpec.<String, OrderList>named("orders");

    private Copies() {}
}
