package io.degradable.examples.shop.client;

/**
 * Where products are looked up: the catalog, or its copy.
 *
 * <p>Threading: blocks until there is an answer or the thread is interrupted.
 */
@FunctionalInterface
public interface Catalog {
    /**
     * The product of that id.
     *
     * @throws UnknownProductException when there is none, which is an answer and not a failure
     */
    Product find(long id) throws Exception;
}
