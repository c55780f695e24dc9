package io.degradable.examples.shop.backend;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** A client of one backend in these tests. Threading: any thread may ask; its own threads end with it. */
final class Probe implements AutoCloseable {
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(executor)
            .build();
    private final URI base;

    Probe(Backend backend) {
        base = backend.uri();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path), BodyHandlers.ofString());
    }

    int status(String path) throws IOException, InterruptedException {
        return get(path).statusCode();
    }

    CompletableFuture<Integer> begin(String path) {
        return http.sendAsync(request(path), BodyHandlers.ofString()).thenApply(HttpResponse::statusCode);
    }

    List<CompletableFuture<Integer>> begin(int howMany, String path) {
        return Stream.generate(() -> begin(path)).limit(howMany).toList();
    }

    int statusOf(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(base.resolve(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(base.resolve(path)).build();
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
