package io.degradable.examples.shop.client;

import java.util.List;

/**
 * All products of the catalog, page by page, for an export.
 *
 * <p>Threading: blocks until there is an answer, for ten seconds at most, or the thread is interrupted.
 */
@FunctionalInterface
public interface CatalogPages {
    /** The next products by id, at most so many; an empty list is the end. */
    List<Product> after(long id, int size) throws Exception;
}
