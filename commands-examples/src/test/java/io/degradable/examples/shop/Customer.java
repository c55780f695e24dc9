package io.degradable.examples.shop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;

/** Talks to a shop over HTTP, as curl would, and believes only what it gets. */
final class Customer {

    /** An answer, read. */
    record Answer(int status, HttpResponse<String> response, JsonNode json) {

        /** A header, or nothing. */
        Optional<String> header(String name) {
            return response.headers().firstValue(name);
        }

        String source() {
            return header("X-Data-Source").orElse("no header");
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI shop;

    Customer(URI shop) {
        this.shop = shop;
    }

    Answer product(long id) {
        return get("products/" + id);
    }

    Answer get(String path) {
        return send(HttpRequest.newBuilder(shop.resolve("/" + path)).build());
    }

    Answer get(String path, String... headers) {
        return send(HttpRequest.newBuilder(shop.resolve("/" + path))
                .headers(headers)
                .build());
    }

    Answer post(String path, String json, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(shop.resolve("/" + path)).POST(HttpRequest.BodyPublishers.ofString(json));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    /** What the backend does from now on. */
    Answer fault(String backend, String json) {
        return post("faults/" + backend, json);
    }

    String text(String path) {
        return request(HttpRequest.newBuilder(shop.resolve("/" + path)).build()).body();
    }

    private Answer send(HttpRequest request) {
        HttpResponse<String> response = request(request);
        try {
            return new Answer(response.statusCode(), response, JSON.readTree(response.body()));
        } catch (IOException e) {
            throw new UncheckedIOException("no JSON: " + response.body(), e);
        }
    }

    private HttpResponse<String> request(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
