package io.degradable.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks a server as any client does. */
final class Web {

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI server;

    Web(URI server) {
        this.server = server;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path);
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .version(HttpClient.Version.HTTP_1_1)
                .method(method, BodyPublishers.noBody())
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    JsonNode state() throws IOException, InterruptedException {
        return json(get("/degradable/v1/state").body());
    }

    static JsonNode json(String text) throws IOException {
        return JSON.readTree(text);
    }

    static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
