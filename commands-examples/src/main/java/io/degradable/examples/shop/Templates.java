package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.json.JsonTemplates;
import io.degradable.template.StaticTemplate;

/** What the shop says when it knows nothing: the truth, and a way on. */
final class Templates {

    /** For what the snapshot has not either; the page puts the id in. */
    static final StaticTemplate<Product> UNKNOWN_PRODUCT =
            StaticTemplate.of("unknown-product", new Product(0, "Product", null, "EUR", "price to be confirmed"));

    static final StaticTemplate<Stock> UNKNOWN_STOCK =
            StaticTemplate.of("unknown-stock", new Stock(0, null, "availability is confirmed at checkout"));

    /** What others like changes, so it is no code; an empty list of it, or one without a notice, is refused at the start. */
    static final StaticTemplate<Recommendations> BESTSELLERS = JsonTemplates.of("bestsellers", Recommendations.class)
            .zeroMeans("id", "the fill puts in the command's")
            .checked("some products", best -> !best.products().isEmpty())
            .fromResource("/templates/bestsellers.json");

    static final OrderList.WayOn WAY_ON = new OrderList.WayOn("/orders", "0800 555 0100");

    static final StaticTemplate<OrderList> UNKNOWN_ORDERS = StaticTemplate.of(
            "unknown-orders", OrderList.unknown("we cannot show your orders just now; none of them is lost", WAY_ON));

    private Templates() {}
}
