package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.degradable.Commands;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StreamServerTest {

    /** A handler of the application: it knows one path. */
    private static final class At extends Handler.Abstract {

        private final String path;
        private final Answer answer;

        interface Answer {
            String text() throws Exception;
        }

        At(String path, Answer answer) {
            this.path = path;
            this.answer = answer;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (!Request.getPathInContext(request).equals(path)) {
                return false;
            }
            byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
            response.write(true, ByteBuffer.wrap(text), callback);
            return true;
        }
    }

    private final Commands commands = Commands.builder().name("oracle").build();

    @AfterEach
    void close() {
        commands.close();
    }

    @Test
    void each_route_answers_a_get() throws Exception {
        commands.register(Ask.named("GetAnswer").build());
        try (StreamServer server = StreamServer.builder(commands).start()) {
            Web web = new Web(server.uri());

            HttpResponse<String> state = web.get("/degradable/v1/state");
            HttpResponse<String> metrics = web.get("/metrics");
            HttpResponse<String> page = web.get("/");

            assertThat(state.statusCode()).isEqualTo(200);
            assertThat(Web.header(state, "Content-Type")).isEqualTo("application/json");
            assertThat(Web.header(state, "Cache-Control")).isEqualTo("no-store");
            assertThat(Web.json(state.body()).get("service").textValue()).isEqualTo("oracle");
            assertThat(metrics.statusCode()).isEqualTo(200);
            assertThat(Web.header(metrics, "Content-Type")).isEqualTo("text/plain;version=0.0.4;charset=utf-8");
            assertThat(metrics.body()).contains("fallback_source_total{command=\"GetAnswer\",source=\"static\"} 0.0");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(Web.header(page, "Content-Type")).isEqualTo("text/html;charset=utf-8");
            for (HttpResponse<String> response : List.of(state, metrics, page)) {
                assertThat(Web.header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(Web.header(response, "Server")).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/table.js", "/table.css", "/degradable/v1/state", "/metrics"})
    void head_is_answered_like_get_without_the_body(String path) throws Exception {
        commands.register(Ask.named("GetAnswer").build());
        try (StreamServer server = StreamServer.builder(commands).start()) {
            Web web = new Web(server.uri());

            HttpResponse<String> get = web.get(path);
            HttpResponse<String> head = web.send("HEAD", path);

            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            assertThat(Web.header(head, "Content-Type")).isEqualTo(Web.header(get, "Content-Type"));
            assertThat(Long.parseLong(Web.header(head, "Content-Length"))).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /hystrix.stream",
        "PUT, /degradable/v1/state",
        "DELETE, /metrics",
        "OPTIONS, /metrics",
        "POST, /",
        "PATCH, /table.js"
    })
    void other_methods_are_refused_with_those_that_are_allowed(String method, String path) throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start()) {
            HttpResponse<String> response = new Web(server.uri()).send(method, path);

            assertProblem(response, 405, "Method Not Allowed");
            assertThat(Web.header(response, "Allow")).isEqualTo("GET, HEAD");
            assertThat(server.hystrix().readers()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/metric", "/metrics/", "/degradable/v1", "/hystrix.stream/x", "/table.html", "/favicon.ico"})
    void unknown_paths_are_a_problem_that_names_the_path(String path) throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start()) {
            HttpResponse<String> response = new Web(server.uri()).get(path);

            assertProblem(response, 404, "Not Found");
            assertThat(Web.json(response.body()).get("detail").textValue()).isEqualTo("there is nothing at " + path);
        }
    }

    @Test
    void hostile_path_comes_back_as_text_in_json() throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start()) {
            HttpResponse<String> response = new Web(server.uri()).get("/%22,%22x%22:%22%3Cscript%3E%F0%9F%92%A5");

            assertProblem(response, 404, "Not Found");
            assertThat(Web.json(response.body()).get("detail").textValue())
                    .contains("x")
                    .contains("script");
        }
    }

    @Test
    void malformed_request_is_a_problem_too() throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start();
                RawConnection client = new RawConnection(server.uri())) {
            client.send("GET /a b<script> HTTP/1.1", "Host: x");

            assertThat(client.head()).contains("HTTP/1.1 400 Bad Request", "Content-Type: application/problem+json");
            assertThat(client.line()).doesNotContain("script");
        }
    }

    @Test
    void absolute_address_of_another_host_is_refused() throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start();
                RawConnection client = new RawConnection(server.uri())) {
            client.send(
                    "GET http://elsewhere/metrics HTTP/1.1",
                    "Host: " + server.uri().getAuthority());

            assertThat(client.head()).first().isEqualTo("HTTP/1.1 400 Bad Request");
        }
    }

    @Test
    void handlers_of_the_application_come_first_and_in_order() throws Exception {
        try (StreamServer server = StreamServer.builder(commands)
                .handler(new At("/products/1", () -> "first"))
                .handler(new At("/products/1", () -> "second"))
                .handler(new At("/metrics", () -> "mine"))
                .start()) {
            Web web = new Web(server.uri());

            assertThat(web.get("/products/1").body()).isEqualTo("first");
            assertThat(web.get("/metrics").body()).isEqualTo("mine");
            assertThat(web.get("/degradable/v1/state").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void failure_of_a_handler_does_not_tell_what_the_program_was_doing() throws Exception {
        try (StreamServer server = StreamServer.builder(commands)
                .handler(new At("/products/1", () -> {
                    throw new IllegalStateException("password=secret");
                }))
                .start()) {
            HttpResponse<String> response = new Web(server.uri()).get("/products/1");

            assertProblem(response, 500, "Server Error");
            assertThat(response.body()).doesNotContain("secret", "Exception", "at io.");
        }
    }

    @Test
    void service_has_the_name_it_is_given() throws Exception {
        try (StreamServer server =
                StreamServer.builder(commands).service("shop-7").start()) {
            assertThat(new Web(server.uri()).state().get("service").textValue()).isEqualTo("shop-7");
        }
    }

    @Test
    void address_names_host_and_port() throws Exception {
        try (StreamServer server = StreamServer.builder(commands).start()) {
            assertThat(server.uri().toString()).matches("http://127\\.0\\.0\\.1:[1-9][0-9]+/");
        }
        try (StreamServer server =
                StreamServer.builder(commands).host("localhost").start()) {
            assertThat(new Web(server.uri()).get("/metrics").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void busy_port_is_one_clear_message_and_leaves_nothing_behind() throws Exception {
        Set<Thread> before = threads();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> StreamServer.builder(commands)
                            .port(taken.getLocalPort())
                            .start())
                    .isInstanceOf(BindException.class)
                    .hasMessage("cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": Address already in use");
        }
        assertThat(threadsSince(before)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
    void address_that_others_can_reach_is_refused(String host) {
        assertThatThrownBy(() -> StreamServer.builder(commands).host(host).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback")
                .hasMessageContaining("was " + host + ":");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65_536})
    void port_that_cannot_be_is_refused(int port) {
        assertThatThrownBy(() -> StreamServer.builder(commands).port(port))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("port must be from 0 to 65535, was " + port);
    }

    @Test
    void handler_that_does_not_start_leaves_nothing_behind() {
        Set<Thread> before = threads();
        Handler broken = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                return false;
            }

            @Override
            protected void doStart() throws Exception {
                throw new Exception("no database");
            }
        };

        assertThatThrownBy(() -> StreamServer.builder(commands).handler(broken).start())
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("no database");
        assertThat(threadsSince(before)).isEmpty();
    }

    @Test
    void closing_frees_the_port_and_leaves_no_thread() throws Exception {
        Set<Thread> before = threads();
        StreamServer server = StreamServer.builder(commands).start();
        URI uri = server.uri();
        try (RawConnection reader = RawConnection.reading(uri);
                RawConnection idle = new RawConnection(uri)) {
            reader.lineThatBegins("ping");
            idle.send("GET /metrics HTTP/1.1", "Host: " + uri.getAuthority()).head();
            assertThat(threadsSince(before)).isNotEmpty().allSatisfy(thread -> {
                assertThat(thread.getName()).startsWith("degradable-stream");
                assertThat(thread.isDaemon()).isTrue();
            });

            server.close();
            server.close();

            assertThat(threadsSince(before)).isEmpty();
        }
        StreamServer.builder(commands).port(uri.getPort()).start().close();
    }

    /** Gives Jetty's scheduler something to do that goes on after its interrupt, as long as it is told to. */
    private static final class KeepsSchedulerBusy extends Handler.Abstract {

        /** What is left to do once it is told to stop. */
        interface Rest {
            void run() throws InterruptedException;
        }

        private final CountDownLatch begun = new CountDownLatch(1);
        private final Rest afterInterrupt;

        KeepsSchedulerBusy(Rest afterInterrupt) {
            this.afterInterrupt = afterInterrupt;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            return false;
        }

        @Override
        protected void doStart() {
            var unused = getServer().getScheduler().schedule(this::work, 0, TimeUnit.MILLISECONDS);
        }

        private void work() {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException closing) {
                try {
                    afterInterrupt.run();
                } catch (InterruptedException again) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Test
    void closing_waits_for_the_scheduler_that_is_at_work() throws Exception {
        Set<Thread> before = threads();
        Thread closer = Thread.currentThread();
        KeepsSchedulerBusy busy = new KeepsSchedulerBusy(() -> {
            while (closer.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait(); // until it waits for this one
            }
        });
        StreamServer server = StreamServer.builder(commands).handler(busy).start();
        busy.begun.await();

        server.close();

        assertThat(threadsSince(before)).isEmpty();
    }

    @Test
    void closing_does_not_wait_for_a_scheduler_that_hangs() throws Exception {
        Set<Thread> before = threads();
        CountDownLatch release = new CountDownLatch(1);
        KeepsSchedulerBusy busy = new KeepsSchedulerBusy(release::await);
        StreamServer server = StreamServer.builder(commands).handler(busy).start();
        busy.begun.await();

        server.close();

        Set<Thread> left = threadsSince(before);
        release.countDown();
        assertThat(left).extracting(Thread::getName).containsExactly("degradable-stream-scheduler");
        for (Thread thread : left) {
            thread.join();
        }
    }

    @Test
    void closing_lets_a_request_in_flight_have_its_answer() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        StreamServer server = StreamServer.builder(commands)
                .handler(new At("/slow", () -> {
                    entered.countDown();
                    release.await();
                    return "done";
                }))
                .start();
        try (RawConnection client = new RawConnection(server.uri())) {
            client.send("GET /slow HTTP/1.1", "Host: " + server.uri().getAuthority());
            entered.await();

            Thread closer = new Thread(server::close);
            closer.start();
            while (closer.getState() == Thread.State.RUNNABLE || closer.getState() == Thread.State.NEW) {
                Thread.onSpinWait(); // until it waits for what is in flight
            }
            release.countDown();

            assertThat(client.head()).first().isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.line()).isEqualTo("done");
            closer.join();
        }
    }

    @Test
    void closing_does_not_wait_for_a_request_that_hangs() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        StreamServer server = StreamServer.builder(commands)
                .handler(new At("/hang", () -> {
                    entered.countDown();
                    new CountDownLatch(1).await();
                    return "never";
                }))
                .start();
        try (RawConnection client = new RawConnection(server.uri())) {
            client.send("GET /hang HTTP/1.1", "Host: " + server.uri().getAuthority());
            entered.await();

            long start = System.nanoTime();
            server.close();
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            assertThat(took).isLessThan(Duration.ofSeconds(1));
        }
    }

    @Test
    void closing_leaves_the_container_open() throws Exception {
        StreamServer.builder(commands).start().close();

        assertThat(commands.isClosed()).isFalse();
        assertThat(commands.execute(new Ask(commands, Ask.named("GetAnswer").build(), "a", Ask.ANSWERS_LIVE)))
                .isEqualTo("live");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String title) throws Exception {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(Web.header(response, "Content-Type")).isEqualTo("application/problem+json");
        JsonNode problem = Web.json(response.body());
        assertThat(problem.fieldNames()).toIterable().containsExactly("status", "title", "detail");
        assertThat(problem.get("status").intValue()).isEqualTo(status);
        assertThat(problem.get("title").textValue()).isEqualTo(title);
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    private static Set<Thread> threadsSince(Set<Thread> before) {
        Set<Thread> since = threads();
        since.removeAll(before);
        return since;
    }
}
