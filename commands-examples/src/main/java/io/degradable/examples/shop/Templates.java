package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.template.StaticTemplate;
import java.util.List;

/** What the shop says when it knows nothing: the truth, and a way on. */
final class Templates {

    static final StaticTemplate<Product> UNKNOWN_PRODUCT =
            StaticTemplate.of("unknown-product", new Product(0, "Product", null, "EUR", "price to be confirmed"));

    static final StaticTemplate<Stock> UNKNOWN_STOCK =
            StaticTemplate.of("unknown-stock", new Stock(0, null, "availability is confirmed at checkout"));

    static final StaticTemplate<Recommendations> BESTSELLERS = StaticTemplate.of(
            "bestsellers", new Recommendations(0, List.of(1L, 2L, 3L), "what others like; yours are back in a moment"));

    static final OrderList.WayOn WAY_ON = new OrderList.WayOn("/orders", "0800 555 0100");

    static final StaticTemplate<OrderList> UNKNOWN_ORDERS = StaticTemplate.of(
            "unknown-orders", OrderList.unknown("we cannot show your orders just now; none of them is lost", WAY_ON));

    private Templates() {}
}
