package io.degradable.examples.shop;

import io.degradable.cache.CacheSpec;
import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;

/** Where the shop keeps copies of what its backends answered. */
final class Copies {

    static final CacheSpec<Long, Product> PRODUCTS = CacheSpec.<Long, Product>named("products");
    static final CacheSpec<Long, Stock> STOCK = CacheSpec.<Long, Stock>named("stock");
    static final CacheSpec<Long, Recommendations> RECOMMENDATIONS =
            CacheSpec.<Long, Recommendations>named("recommendations");

    /** By customer: a key that left the customer out would show one the orders of another. */
    static final CacheSpec<String, OrderList> ORDERS = CacheSpec.<String, OrderList>named("orders");

    private Copies() {}
}
