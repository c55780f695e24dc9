package io.degradable.model;

import javax.annotation.Nullable;

/**
 * The request itself is wrong: an unknown id, an invalid argument, a missing right. Thrown by a body, it reaches the caller
 * unchanged, never enters the fallback chain and never counts against the breaker, but is counted and shown.
 */
public class BadRequestException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public BadRequestException(String message) {
        super(message);
    }

    public BadRequestException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
