package io.degradable.examples.shop;

import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import java.time.Duration;

/**
 * What {@code GET /orders} shows.
 *
 * @param known whether the shop knows the orders; "you have none" is {@code true} with an empty list
 */
record OrdersPage(boolean known, ProductPage.Section<OrderList> orders) {

    static OrdersPage of(CommandResult<OrderList> result) {
        ProductPage.Section<OrderList> section = ProductPage.Section.of(result);
        OrderList list = section.value();
        if (result.source() == Source.CACHE) {
            // Not even a copy without orders may read as "you have none": one may have been placed since.
            section = section.with(new OrderList(list.orders(), asItWas(result), Templates.WAY_ON));
        }
        return new OrdersPage(list.orders() != null, section);
    }

    private static String asItWas(CommandResult<OrderList> copy) {
        return "as it was " + copy.age().orElse(Duration.ZERO).toSeconds()
                + " seconds ago; later orders are not shown, and not lost";
    }
}
