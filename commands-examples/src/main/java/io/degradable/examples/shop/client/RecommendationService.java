package io.degradable.examples.shop.client;

/**
 * Where recommendations to a product are asked for.
 *
 * <p>Threading: blocks until there is an answer or the thread is interrupted.
 */
@FunctionalInterface
public interface RecommendationService {
    /**
     * What goes with the product of that id.
     *
     * @throws UnknownProductException when there is no such product, which is an answer and not a failure
     */
    Recommendations find(long id) throws Exception;
}
