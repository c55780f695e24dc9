package io.degradable.examples.shop.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Makes the clients of the shop's backends; they share one HTTP client.
 *
 * <p>Threading: a call blocks the thread that makes it, and an interrupt ends it with an {@link InterruptedException} and
 * closes its connection. There is no limit on the wait for an answer, but for a page of products, only one of a second on connecting. The few threads
 * that read answers are daemons and end with {@link #close}, after which no call may be made.
 */
public final class BackendClients implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration PAGE_TIMEOUT = Duration.ofSeconds(10);

    /** They only hand bytes on, and never wait. */
    private static final int THREADS = 4;

    /** Fields we do not know are a newer backend's; fields that are missing are no answer. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private static final ObjectReader JSON = MAPPER.reader();

    private record Page(List<Product> products) {}

    private final ExecutorService executor;
    private final HttpClient http;

    public BackendClients() {
        executor = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "backend-client");
            thread.setDaemon(true);
            return thread;
        });
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .executor(executor)
                .build();
    }

    /** Asks the catalog, or its copy, at that address. */
    public Catalog catalog(URI backend) {
        return id -> get(backend.resolve("/products/" + id), id, Product.class);
    }

    /**
     * Asks the catalog at that address for all of its products, page by page. A page has a limit of ten seconds: who exports
     * has no other.
     */
    public CatalogPages catalogPages(URI backend) {
        return (after, size) -> {
            HttpRequest request = HttpRequest.newBuilder(backend.resolve("/products/after/" + after + "/" + size))
                    .timeout(PAGE_TIMEOUT)
                    .build();
            HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            if (response.statusCode() != 200) {
                throw new BackendException(response.statusCode());
            }
            List<Product> products = JSON.readValue(response.body(), Page.class).products();
            if (products
                    == null) { // possible in spite of the type; taken for an empty page it would say "that was all"
                throw new IOException("the catalog answered without a list");
            }
            return products;
        };
    }

    /** Asks the stock service at that address. */
    public StockService stock(URI backend) {
        return id -> get(backend.resolve("/stock/" + id), id, Stock.class);
    }

    /** Asks the recommendation service at that address. */
    public RecommendationService recommendations(URI backend) {
        return id -> get(backend.resolve("/recommendations/" + id), id, Recommendations.class);
    }

    /** Places and lists orders at the service at that address. */
    public OrderService orders(URI backend) {
        return new HttpOrders(http, MAPPER, backend);
    }

    /** Asks the accounts service at that address. */
    public AccountService accounts(URI backend) {
        return new HttpAccounts(http, MAPPER, backend);
    }

    /** Ends the threads. The HTTP client itself has no end to be called on Java 17; it goes when nobody holds it. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    private <T> T get(URI uri, long id, Class<T> type)
            throws IOException, InterruptedException, UnknownProductException, BackendException {
        HttpResponse<byte[]> response =
                http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
        return switch (response.statusCode()) {
            case 200 -> JSON.readValue(response.body(), type);
            case 404 -> throw new UnknownProductException(id);
            default -> throw new BackendException(response.statusCode());
        };
    }
}
