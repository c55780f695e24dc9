package io.degradable.examples.shop.client;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

/**
 * The orders service over HTTP.
 *
 * <p>Threading: any.
 */
final class HttpOrders implements OrderService {

    private record Listed(List<Order> orders) {}

    private final HttpClient http;
    private final JsonMapper json;
    private final URI backend;

    HttpOrders(HttpClient http, JsonMapper json, URI backend) {
        this.http = http;
        this.json = json;
        this.backend = backend;
    }

    @Override
    public Order place(NewOrder order) throws Exception {
        byte[] body = json.writeValueAsBytes(Map.of("productId", order.productId(), "quantity", order.quantity()));
        HttpRequest request = HttpRequest.newBuilder(
                        backend.resolve("/customers/" + order.customer() + "/orders/" + order.operationId()))
                .PUT(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<byte[]> response = send(request);
        return switch (response.statusCode()) {
            case 201 -> json.readValue(response.body(), Order.class);
            case 404 -> throw new UnknownProductException(order.productId());
            case 409 -> throw new OperationTakenException(order.operationId());
            // The service promises that this means so, and of no other status.
            case 503 -> throw new NotDoneException("the order was refused", new BackendException(503));
            default -> throw new BackendException(response.statusCode());
        };
    }

    /** A connection that breaks later may have carried the order over. */
    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException, NotDoneException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (ConnectException | HttpConnectTimeoutException neverConnected) {
            throw new NotDoneException("the orders service was not reached", neverConnected);
        }
    }

    @Override
    public List<Order> of(String customer) throws Exception {
        HttpResponse<byte[]> response = http.send(
                HttpRequest.newBuilder(backend.resolve("/customers/" + customer + "/orders"))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new BackendException(response.statusCode());
        }
        List<Order> orders = json.readValue(response.body(), Listed.class).orders();
        if (orders == null) { // possible in spite of the type; taken for an empty list it would say "you have none"
            throw new IOException("the orders service answered without a list");
        }
        return List.copyOf(orders);
    }
}
