package io.degradable.examples.shop.client;

/**
 * An order that was taken.
 *
 * @param number the shop's number for it
 * @param operationId the customer's own name for it, under which it is done once
 */
public record Order(long number, String operationId, long productId, int quantity) {

    public Order {
        if (operationId == null || operationId.isBlank()) { // possible in spite of the type: it comes from elsewhere
            throw new IllegalArgumentException("operationId must not be empty, was " + operationId);
        }
    }
}
