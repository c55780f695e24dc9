package io.degradable.examples.shop.backend;

/**
 * What a client asks of a backend.
 *
 * @param path without a query
 * @param body empty when there is none
 */
record Asked(String method, String path, String body) {

    /** Longer than anything a backend here is sent. */
    static final int MAX_BODY_BYTES = 10_000;

    /**
     * Whether the work is done even when the client has left in the meantime: a service that has received a write does it. A
     * read for nobody is dropped.
     */
    boolean doneWithoutClient() {
        return method.equals("PUT");
    }
}
