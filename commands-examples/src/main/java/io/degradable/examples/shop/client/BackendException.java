package io.degradable.examples.shop.client;

/** A service answered, but with a status that is no answer to what was asked. */
public final class BackendException extends Exception {
    private final int status;

    public BackendException(int status) {
        super("the backend answered with status " + status);
        this.status = status;
    }

    /** The HTTP status it answered with. */
    public int status() {
        return status;
    }
}
