package io.degradable.examples.shop.client;

import io.degradable.model.BadRequestException;

/** The accounts service is well and says no: an answer, unlike a check that could not be made. */
public final class DeniedException extends BadRequestException {
    private static final long serialVersionUID = 1;

    private final int status;

    /** @param status 401 when it does not know who asks, 403 when it does */
    public DeniedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The HTTP status that says so: 401 or 403. */
    public int status() {
        return status;
    }
}
