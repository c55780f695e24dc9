package io.degradable.examples.shop.client;

/** What was asked for was certainly not done: the service was not reached, or said so. */
public final class NotDoneException extends Exception {
    private static final long serialVersionUID = 1;

    public NotDoneException(String message, Throwable cause) {
        super(message, cause);
    }
}
