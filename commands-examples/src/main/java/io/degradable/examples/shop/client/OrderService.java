package io.degradable.examples.shop.client;

import java.util.List;

/**
 * Where orders are placed and kept.
 *
 * <p>Threading: blocks until there is an answer or the thread is interrupted.
 */
public interface OrderService {
    /**
     * Places an order, or gives the one that was placed under the same operation before.
     *
     * @throws NotDoneException when it is certain that nothing was done. After every other failure it may have been
     * @throws UnknownProductException when there is no such product; nothing was done
     * @throws OperationTakenException when the operation names another order; nothing was done
     */
    Order place(NewOrder order) throws Exception;

    /** The orders of a customer, the newest first. */
    List<Order> of(String customer) throws Exception;
}
