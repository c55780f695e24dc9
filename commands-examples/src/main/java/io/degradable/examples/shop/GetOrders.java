package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.OrderService;
import java.time.Duration;

/**
 * The orders of a customer: as they are, else as they were in the last five minutes, else the truth that we cannot say.
 * Whoever asks must have been checked before; the key of a copy is the customer, so nobody is shown somebody else's.
 */
final class GetOrders extends DegradableCommand<OrderList> {

    static final CommandSpec<GetOrders, OrderList> SPEC = CommandSpec.of(GetOrders.class)
            .group("orders")
            .core()
            .threadPool(pool -> pool.named("order-lists").size(5))
            .timeout(Duration.ofMillis(500))
            .fallback(chain -> chain.cached(Copies.ORDERS, command -> command.customer, Duration.ofMinutes(5))
                    .template(Templates.UNKNOWN_ORDERS))
            .build();

    private final OrderService orders;
    private final String customer;

    GetOrders(OrderService orders, String customer) {
        super(SPEC);
        this.orders = orders;
        this.customer = customer;
    }

    @Override
    protected OrderList run() throws Exception {
        return OrderList.of(orders.of(customer));
    }
}
