package io.degradable.examples.shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.degradable.examples.shop.client.Order;
import java.util.Map;

/** What becomes of an order that was not refused: it was taken, or nobody can say yet. */
sealed interface OrderAnswer {

    /** The order stands. */
    record Taken(Order order) implements OrderAnswer {}

    /**
     * Nobody knows yet whether the order was taken.
     *
     * @param operationId under which it can be asked again
     * @param askAgain the request that asks, with the same body
     */
    record Pending(String operationId, String notice, Map<String, String> askAgain) implements OrderAnswer {

        static Pending of(String operationId) {
            return new Pending(
                    operationId,
                    "we cannot say yet whether your order was taken; send the same request with the same Idempotency-Key"
                            + " again: it is done once, however often you ask",
                    Map.of("method", "POST", "path", OrdersHandler.PATH, OrdersHandler.KEY, operationId));
        }

        @JsonProperty
        String status() {
            return "pending";
        }
    }
}
