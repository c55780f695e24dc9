package io.degradable.examples.shop;

import io.degradable.examples.shop.client.Order;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The orders of a customer, or that nobody can say.
 *
 * @param orders null when nobody can say; an empty list means that there are none
 * @param notice what the customer is to know; there is one whenever no order is shown
 * @param wayOn what to do instead; there is one whenever nobody can say
 */
record OrderList(
        @Nullable List<Order> orders,
        @Nullable String notice,
        @Nullable WayOn wayOn) {

    /** What a customer can do while the shop cannot help: try again, or call. */
    record WayOn(String retry, String hotline) {}

    OrderList {
        orders = orders == null ? null : List.copyOf(orders);
        if ((orders == null || orders.isEmpty()) && (notice == null || notice.isBlank())) {
            throw new IllegalArgumentException("notice must say something when no order is shown, was " + notice);
        }
        if (orders == null && wayOn == null) {
            throw new IllegalArgumentException("wayOn must not be null when nobody knows the orders");
        }
    }

    /** What the orders service knows. */
    static OrderList of(List<Order> orders) {
        return new OrderList(orders, orders.isEmpty() ? "you have no orders yet" : null, null);
    }

    /** Nobody can say. */
    static OrderList unknown(String notice, WayOn wayOn) {
        return new OrderList(null, notice, wayOn);
    }
}
