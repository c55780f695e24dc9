package io.degradable.examples.shop.client;

/**
 * Where the stock of a product is asked for.
 *
 * <p>Threading: blocks until there is an answer or the thread is interrupted.
 */
@FunctionalInterface
public interface StockService {
    /**
     * How many there are of the product of that id.
     *
     * @throws UnknownProductException when there is no such product, which is an answer and not a failure
     */
    Stock find(long id) throws Exception;
}
