package io.degradable.examples.shop.backend;

import javax.annotation.Nullable;

/**
 * What one kind of backend answers, without its faults: {@code GET path + id}.
 *
 * <p>Threading: asked by many threads at once.
 */
interface Answers extends AutoCloseable {
    /** The path before the id, such as {@code /stock/}. */
    String path();

    /** What is answered as JSON, or null for an id that is unknown here. */
    @Nullable
    Object find(long id) throws Exception;

    @Override
    default void close() {}
}
