package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.NewOrder;
import io.degradable.examples.shop.client.NotDoneException;
import io.degradable.examples.shop.client.OrderService;
import java.time.Duration;

/**
 * Places an order, once. When nobody can say whether it was taken the answer is a pending one, which can be asked again; when
 * it certainly was not, there is none. So every failure counts as unknown but those of which the client is certain.
 */
final class PlaceOrder extends DegradableCommand<OrderAnswer> {

    static final CommandSpec<PlaceOrder, OrderAnswer> SPEC = CommandSpec.of(PlaceOrder.class)
            .group("orders")
            .core()
            .write()
            .operationId(command -> command.order.operationId())
            .unknownOn(failure -> !(failure instanceof NotDoneException))
            .threadPool(pool -> pool.named("orders").size(10).queue(5))
            .timeout(Duration.ofSeconds(1))
            .fallback(chain -> chain.pending((command, operationId) -> OrderAnswer.Pending.of(operationId)))
            .build();

    private final OrderService orders;
    private final NewOrder order;

    PlaceOrder(OrderService orders, NewOrder order) {
        super(SPEC);
        this.orders = orders;
        this.order = order;
    }

    @Override
    protected OrderAnswer run() throws Exception {
        return new OrderAnswer.Taken(orders.place(order));
    }
}
