package io.degradable.examples.shop.client;

/**
 * An order to be placed.
 *
 * @param operationId the customer's own name for it: asked again under the same one, it is done once
 */
public record NewOrder(String customer, String operationId, long productId, int quantity) {}
