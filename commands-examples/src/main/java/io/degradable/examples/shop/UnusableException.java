package io.degradable.examples.shop;

/** What the shop was told to use cannot be used; the message, one line, says what and why. */
final class UnusableException extends Exception {

    private static final long serialVersionUID = 1L;

    UnusableException(String message) {
        super(message);
    }
}
