package io.degradable.examples.shop.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.degradable.examples.shop.backend.Backends;
import io.degradable.examples.shop.backend.Fault;
import io.degradable.examples.shop.backend.Mode;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsHandlerTest {
    private final HttpClient http = HttpClient.newHttpClient();
    private Backends backends;
    private TestServer server;

    @BeforeAll
    void start() throws Exception {
        backends = Backends.start();
        server = new TestServer(new Handler.Sequence(new FaultsHandler(backends)));
    }

    @AfterEach
    void heal() {
        backends.all().forEach(backend -> backend.set(Fault.up()));
    }

    @AfterAll
    void end() {
        server.close();
        backends.close();
    }

    @Test
    void all_faults_are_shown_in_order() throws Exception {
        backends.replica().set(Fault.slow(300));

        var response = send("GET", "/faults", "");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(response.body())
                .isEqualTo("{\"catalog\":{\"mode\":\"up\",\"latencyMs\":0,\"errorRate\":0.0},"
                        + "\"replica\":{\"mode\":\"slow\",\"latencyMs\":300,\"errorRate\":0.0},"
                        + "\"stock\":{\"mode\":\"up\",\"latencyMs\":0,\"errorRate\":0.0},"
                        + "\"recommendations\":{\"mode\":\"up\",\"latencyMs\":0,\"errorRate\":0.0},"
                        + "\"orders\":{\"mode\":\"up\",\"latencyMs\":0,\"errorRate\":0.0},"
                        + "\"accounts\":{\"mode\":\"up\",\"latencyMs\":0,\"errorRate\":0.0}}");
    }

    @Test
    void what_is_set_is_in_force_when_it_is_answered() throws Exception {
        var response = send("POST", "/faults/stock", "{\"mode\":\"errors\",\"latencyMs\":20}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("{\"mode\":\"errors\",\"latencyMs\":20,\"errorRate\":1.0}");
        assertThat(backends.stock().fault()).isEqualTo(new Fault(Mode.ERRORS, 20, 1));
        assertThat(backends.catalog().fault()).isEqualTo(Fault.up());
    }

    @Test
    void answer_that_shows_a_fault_can_be_sent_back() throws Exception {
        for (String mode : new String[] {"up", "down", "slow", "hang", "errors"}) {
            String shown = send(
                            "POST", "/faults/stock", "{\"mode\":\"" + mode + "\",\"latencyMs\":5,\"errorRate\":0.5}")
                    .body();
            backends.stock().set(Fault.up());

            var response = send("POST", "/faults/stock", shown);

            assertThat(response.statusCode()).as(mode).isEqualTo(200);
            assertThat(response.body()).isEqualTo(shown);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "[]", "{}", "{\"mode\":\"off\"}", "{\"mode\":\"slow\"}"})
    void wrong_bodies_are_a_problem_that_says_what_is_allowed(String body) throws Exception {
        var response = send("POST", "/faults/catalog", body);

        assertProblem(response, 400, "Bad Request");
        assertThat(detail(response)).containsAnyOf("allowed is", "must be");
        assertThat(backends.catalog().fault()).isEqualTo(Fault.up());
    }

    @ParameterizedTest
    @CsvSource({"/faults/cart", "/faults/", "/faults/catalog/", "/faults/catalog/x", "/faults/CATALOG"})
    void unknown_backend_is_a_problem_that_names_the_known_ones(String path) throws Exception {
        var response = send("POST", path, "{\"mode\":\"down\"}");

        assertProblem(response, 404, "Not Found");
        assertThat(detail(response)).contains("catalog, replica, stock, recommendations, orders, accounts");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST   | /faults         | GET, HEAD
            DELETE | /faults         | GET, HEAD
            GET    | /faults/catalog | POST
            PUT    | /faults/catalog | POST
            """)
    void wrong_methods_are_a_problem_with_the_allowed_ones(String method, String path, String allowed)
            throws Exception {
        var response = send(method, path, "");

        assertProblem(response, 405, "Method Not Allowed");
        assertThat(response.headers().firstValue("Allow")).contains(allowed);
        assertThat(detail(response)).contains(allowed);
    }

    @Test
    void body_is_read_up_to_its_limit_and_refused_beyond_it() throws Exception {
        String fault = "{\"mode\":\"down\"}";
        String longest = fault + " ".repeat(10_000 - fault.length());

        assertThat(send("POST", "/faults/stock", longest).statusCode()).isEqualTo(200);
        var tooLong = send("POST", "/faults/catalog", longest + " ");
        var chunked = send(
                "POST",
                "/faults/catalog",
                BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(longest.repeat(20).getBytes(StandardCharsets.UTF_8))));

        for (var response : new HttpResponse<?>[] {tooLong, chunked}) {
            assertThat(response.statusCode()).isEqualTo(413);
            assertThat(String.valueOf(response.body())).contains("10000 bytes");
        }
        assertThat(backends.catalog().fault()).isEqualTo(Fault.up());
    }

    @Test
    void head_is_answered_without_a_body() throws Exception {
        var response = send("HEAD", "/faults", "");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/faultsome", "/products/1", "/x/faults"})
    void other_paths_are_left_to_others(String path) throws Exception {
        var response = send("GET", path, "");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().firstValue("Content-Type")).get().isNotEqualTo("application/problem+json");
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        return send(method, path, BodyPublishers.ofString(body));
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve(path))
                .version(HttpClient.Version.HTTP_1_1)
                .method(method, body)
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    private static void assertProblem(HttpResponse<String> response, int status, String title) throws Exception {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        JsonNode problem = new JsonMapper().readTree(response.body());
        assertThat(problem.fieldNames()).toIterable().containsExactly("status", "title", "detail");
        assertThat(problem.get("status").intValue()).isEqualTo(status);
        assertThat(problem.get("title").textValue()).isEqualTo(title);
    }

    private static String detail(HttpResponse<String> response) throws Exception {
        return new JsonMapper().readTree(response.body()).get("detail").textValue();
    }
}
