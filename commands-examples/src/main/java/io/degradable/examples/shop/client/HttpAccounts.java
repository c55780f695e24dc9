package io.degradable.examples.shop.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

/**
 * The accounts service over HTTP.
 *
 * <p>Threading: any.
 */
final class HttpAccounts implements AccountService {

    private final HttpClient http;
    private final JsonMapper json;
    private final URI backend;

    HttpAccounts(HttpClient http, JsonMapper json, URI backend) {
        this.http = http;
        this.json = json;
        this.backend = backend;
    }

    @Override
    public String login(String customer, String password) throws Exception {
        return ask("/logins", Map.of("customer", customer, "password", password), "token");
    }

    @Override
    public String customerOf(String token) throws Exception {
        return ask("/checks", Map.of("token", token), "customer");
    }

    private String ask(String path, Map<String, String> body, String field) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(backend.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))
                .build();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return switch (response.statusCode()) {
            case 200 -> text(json.readTree(response.body()), field);
            case 401 -> throw new DeniedException(401, "this is not known here; please log in");
            case 403 -> throw new DeniedException(403, "this account is locked");
            default -> throw new BackendException(response.statusCode());
        };
    }

    /** Anything but a text is no answer, and must not be taken for a yes. */
    private static String text(JsonNode answer, String field) throws IOException {
        String text = answer.path(field).asText("");
        if (text.isBlank()) {
            throw new IOException("the accounts service answered without a " + field);
        }
        return text;
    }
}
