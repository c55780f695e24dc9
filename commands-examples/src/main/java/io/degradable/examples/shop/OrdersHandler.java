package io.degradable.examples.shop;

import io.degradable.Commands;
import io.degradable.examples.shop.client.AccountService;
import io.degradable.examples.shop.client.DeniedException;
import io.degradable.examples.shop.client.NewOrder;
import io.degradable.examples.shop.client.OperationTakenException;
import io.degradable.examples.shop.client.OrderService;
import io.degradable.examples.shop.client.UnknownProductException;
import io.degradable.examples.shop.http.Bodies;
import io.degradable.examples.shop.http.Json;
import io.degradable.examples.shop.http.Problem;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.model.TemporaryRefusalException;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * {@code GET /orders} lists the orders of who is logged in, {@code POST /orders} places one. Both first ask whose the token
 * is, and go no further without an answer.
 *
 * <p>Threading: any of the server's threads; it blocks for as long as the check and the command may take.
 */
final class OrdersHandler extends Handler.Abstract {

    static final String PATH = "/orders";
    static final String KEY = "Idempotency-Key";

    private static final Pattern KEYS = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final String BEARER = "Bearer ";
    private static final int MOST_AT_ONCE = 100;

    private record Wanted(long productId, int quantity) {}

    private final Commands commands;
    private final AccountService accounts;
    private final OrderService orders;

    OrdersHandler(Commands commands, AccountService accounts, OrderService orders) {
        this.commands = commands;
        this.accounts = accounts;
        this.orders = orders;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws IOException {
        if (!Request.getPathInContext(request).equals(PATH)) {
            return false;
        }
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store"); // it is for one customer only
        try {
            switch (request.getMethod()) {
                case "GET", "HEAD" -> list(customer(request), response, callback);
                case "POST" -> place(customer(request), request, response, callback);
                default -> {
                    response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD, POST");
                    Problem.of(HttpStatus.METHOD_NOT_ALLOWED_405, PATH + " allows GET, HEAD, POST")
                            .write(response, callback);
                }
            }
        } catch (DeniedException no) {
            Denials.write(no, response, callback);
        } catch (TemporaryRefusalException cannotSay) {
            Denials.write(cannotSay, response, callback);
        } catch (IllegalArgumentException wrong) {
            Problem.of(HttpStatus.BAD_REQUEST_400, String.valueOf(wrong.getMessage()))
                    .write(response, callback);
        } catch (IllegalStateException closing) {
            Problem.of(HttpStatus.SERVICE_UNAVAILABLE_503, "the shop is closing; nothing was ordered")
                    .write(response, callback);
        }
        return true;
    }

    /** Who asks, live from the accounts service or not at all. */
    private String customer(Request request) {
        String authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (authorization == null || !authorization.startsWith(BEARER)) {
            throw new DeniedException(
                    HttpStatus.UNAUTHORIZED_401, "please log in, and send Authorization: Bearer and the token");
        }
        return commands.execute(new CheckToken(accounts, authorization.substring(BEARER.length())));
    }

    private void list(String customer, Response response, Callback callback) {
        CommandResult<OrderList> result = commands.executeForResult(new GetOrders(orders, customer));
        result.headers().forEach(response.getHeaders()::put);
        Json.write(response, callback, HttpStatus.OK_200, OrdersPage.of(result));
    }

    private void place(String customer, Request request, Response response, Callback callback) throws IOException {
        NewOrder order = read(customer, request);
        try {
            CommandResult<OrderAnswer> result = commands.executeForResult(new PlaceOrder(orders, order));
            result.headers().forEach(response.getHeaders()::put);
            if (result.value() instanceof OrderAnswer.Taken taken) {
                Json.write(response, callback, HttpStatus.CREATED_201, taken.order());
            } else {
                Json.write(response, callback, HttpStatus.ACCEPTED_202, result.value());
            }
        } catch (UnknownProductException | OperationTakenException no) {
            Problem.of(HttpStatus.UNPROCESSABLE_ENTITY_422, String.valueOf(no.getMessage()))
                    .write(response, callback);
        } catch (CancellationException closing) { // the shop closes while the order is on its way
            pending(order, response, callback);
        } catch (CommandException noAnswer) {
            noAnswer.headers().forEach(response.getHeaders()::put);
            if (noAnswer.outcomeUnknown()) {
                pending(order, response, callback);
            } else {
                Problem.of(
                                noAnswer.httpStatus(),
                                "your order was not taken: we cannot take orders just now; please try again")
                        .write(response, callback);
            }
        }
    }

    private static void pending(NewOrder order, Response response, Callback callback) {
        Json.write(response, callback, HttpStatus.ACCEPTED_202, OrderAnswer.Pending.of(order.operationId()));
    }

    private static NewOrder read(String customer, Request request) throws IOException {
        String key = request.getHeaders().get(KEY);
        if (key == null || !KEYS.matcher(key).matches()) {
            throw new IllegalArgumentException("the header " + KEY + " must be 1 to 64 letters, digits, - or _, was "
                    + key + "; with it an order is placed once, however often it is sent");
        }
        Wanted wanted;
        try {
            wanted = Bodies.read(request, Wanted.class);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    wrong.getMessage() + "; an order has a productId and a quantity, both whole numbers", wrong);
        }
        if (wanted.quantity() < 1 || wanted.quantity() > MOST_AT_ONCE) {
            throw new IllegalArgumentException(
                    "quantity must be from 1 to " + MOST_AT_ONCE + ", was " + wanted.quantity());
        }
        return new NewOrder(customer, key, wanted.productId(), wanted.quantity());
    }
}
