package io.degradable.examples.shop.client;

import io.degradable.model.BadRequestException;

/** The operation's id already names another order: a mistake of who asks, and an answer. */
public final class OperationTakenException extends BadRequestException {
    private static final long serialVersionUID = 1;

    public OperationTakenException(String operationId) {
        super("the operation " + operationId + " is another order, with another product or quantity");
    }
}
