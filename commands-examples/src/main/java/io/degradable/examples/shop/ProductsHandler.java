package io.degradable.examples.shop;

import io.degradable.Commands;
import io.degradable.examples.shop.client.Catalog;
import io.degradable.examples.shop.client.Product;
import io.degradable.examples.shop.client.RecommendationService;
import io.degradable.examples.shop.client.Recommendations;
import io.degradable.examples.shop.client.Stock;
import io.degradable.examples.shop.client.StockService;
import io.degradable.examples.shop.client.UnknownProductException;
import io.degradable.examples.shop.http.Json;
import io.degradable.examples.shop.http.Problem;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * {@code GET /products/{id}}: the product, its stock and its recommendations. The three are asked side by side, and the other
 * two have tighter limits than the product, so the page never takes longer than the product may.
 *
 * <p>Threading: any of the server's threads; it blocks until the three have answered, which their limits bound.
 */
final class ProductsHandler extends Handler.Abstract {

    private static final String ROOT = "/products/";
    private static final Pattern ID = Pattern.compile("-?[0-9]{1,18}");

    /** The services a page is made of. */
    record Services(Catalog catalog, Catalog replica, StockService stock, RecommendationService recommendations) {}

    private final Commands commands;
    private final Services services;
    private final Executor beside;

    /** @param beside where stock and recommendations are waited for; it must not be bounded below the server's threads */
    ProductsHandler(Commands commands, Services services, Executor beside) {
        this.commands = commands;
        this.services = services;
        this.beside = beside;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String path = Request.getPathInContext(request);
        if (!path.startsWith(ROOT)) {
            return false;
        }
        String id = path.substring(ROOT.length());
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            Problem.of(HttpStatus.METHOD_NOT_ALLOWED_405, ROOT + "{id} allows GET, HEAD")
                    .write(response, callback);
        } else if (!ID.matcher(id).matches()) {
            // No command is asked: this says nothing about the catalog.
            Problem.of(HttpStatus.BAD_REQUEST_400, "the id of a product is a number, was \"" + id + "\"")
                    .write(response, callback);
        } else {
            show(Long.parseLong(id), response, callback);
        }
        return true;
    }

    private void show(long id, Response response, Callback callback) throws InterruptedException {
        FutureTask<CommandResult<Stock>> stock =
                new FutureTask<>(() -> commands.executeForResult(new GetStock(services.stock(), id)));
        FutureTask<CommandResult<Recommendations>> recommendations = new FutureTask<>(
                () -> commands.executeForResult(new GetRecommendations(services.recommendations(), id)));
        beside.execute(stock);
        beside.execute(recommendations);
        try {
            CommandResult<Product> product =
                    commands.executeForResult(new GetProduct(services.catalog(), services.replica(), id));
            ProductPage page = ProductPage.of(id, product, get(stock), get(recommendations));
            product.headers().forEach(response.getHeaders()::put);
            Json.write(response, callback, HttpStatus.OK_200, page);
        } catch (UnknownProductException unknown) {
            Problem.of(HttpStatus.NOT_FOUND_404, String.valueOf(unknown.getMessage()))
                    .write(response, callback);
        } catch (CommandException nobodyAnswered) {
            nobodyAnswered.headers().forEach(response.getHeaders()::put);
            Problem.of(HttpStatus.SERVICE_UNAVAILABLE_503, "the shop cannot show this page just now")
                    .write(response, callback);
        } catch (IllegalStateException closing) {
            Problem.of(HttpStatus.SERVICE_UNAVAILABLE_503, "the shop is closing")
                    .write(response, callback);
        }
    }

    private static <T> T get(FutureTask<T> task) throws InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
