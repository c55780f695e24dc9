package io.degradable.examples.shop.backend;

import org.eclipse.jetty.http.HttpStatus;

/**
 * What one kind of backend does, without its faults.
 *
 * <p>Threading: asked by many threads at once.
 */
interface Service extends AutoCloseable {

    /** Does what was asked. What it throws becomes status 500. */
    Reply answer(Asked asked) throws Exception;

    /** The status that {@link Mode#ERRORS} gives, before any work was begun. */
    default int faultStatus() {
        return HttpStatus.INTERNAL_SERVER_ERROR_500;
    }

    @Override
    default void close() {}
}
