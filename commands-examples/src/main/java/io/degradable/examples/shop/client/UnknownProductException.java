package io.degradable.examples.shop.client;

import io.degradable.model.BadRequestException;

/** The service is well and says that it has no product of this id: an answer, so no stage of a chain may replace it. */
public final class UnknownProductException extends BadRequestException {
    private static final long serialVersionUID = 1;

    private final long id;

    public UnknownProductException(long id) {
        super("no product has the id " + id);
        this.id = id;
    }

    /** The id that was asked for. */
    public long id() {
        return id;
    }
}
