package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.degradable.Commands;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HystrixStreamTest {

    private final Commands commands = Commands.create();
    private StreamServer server;
    private URI uri;

    @BeforeEach
    void start() throws Exception {
        server = StreamServer.builder(commands).start();
        uri = server.uri();
    }

    @AfterEach
    void close() {
        server.close();
        commands.close();
    }

    @Test
    void stream_has_the_headers_that_readers_of_hystrix_know() throws Exception {
        try (RawConnection reader = RawConnection.reading(uri)) {
            assertThat(reader.head())
                    .contains(
                            "HTTP/1.1 200 OK",
                            "Content-Type: text/event-stream;charset=UTF-8",
                            "Cache-Control: no-cache, no-store, max-age=0, must-revalidate",
                            "Pragma: no-cache")
                    .noneMatch(header -> header.startsWith("Content-Encoding"));
        }
    }

    @Test
    void idle_service_sends_pings() throws Exception {
        try (RawConnection reader = RawConnection.reading(uri)) {
            reader.head();
            for (int ping = 0; ping < 4; ping++) {
                assertThat(reader.lineThatBegins("ping")).isEqualTo("ping: ");
            }
        }
    }

    @Test
    void command_that_becomes_known_appears_in_streams_that_are_open() throws Exception {
        try (RawConnection reader = RawConnection.reading(uri)) {
            reader.lineThatBegins("ping");

            commands.register(Ask.named("GetAnswer").build());

            assertThat(Web.json(reader.lineThatBegins("data: ").substring("data: ".length()))
                            .get("name")
                            .textValue())
                    .isEqualTo("GetAnswer");
        }
    }

    @Test
    void request_line_with_an_absolute_address_is_understood() throws Exception {
        commands.register(Ask.named("GetAnswer").build());
        try (RawConnection turbine = new RawConnection(uri)) {
            turbine.send(
                    "GET http://" + uri.getAuthority() + "/hystrix.stream HTTP/1.1", "Host: " + uri.getAuthority());

            assertThat(turbine.head()).first().isEqualTo("HTTP/1.1 200 OK");
            assertThat(turbine.lineThatBegins("data: ")).contains("\"GetAnswer\"");
        }
    }

    @Test
    void head_is_answered_at_once_and_takes_no_place() throws Exception {
        Web web = new Web(uri);
        for (int i = 0; i < Broadcast.MOST_READERS + 1; i++) {
            HttpResponse<String> response = web.send("HEAD", "/hystrix.stream");

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(Web.header(response, "Content-Type")).isEqualTo("text/event-stream;charset=UTF-8");
            assertThat(response.body()).isEmpty();
        }
        assertThat(server.hystrix().readers()).isZero();
    }

    @Test
    void one_reader_too_many_is_told_when_to_come_again() throws Exception {
        List<RawConnection> readers = new ArrayList<>();
        for (int i = 0; i < Broadcast.MOST_READERS; i++) {
            RawConnection reader = RawConnection.reading(uri);
            readers.add(reader);
            assertThat(reader.head()).first().isEqualTo("HTTP/1.1 200 OK");
        }

        HttpResponse<String> refused = new Web(uri).get("/hystrix.stream");

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(Web.header(refused, "Retry-After")).isEqualTo("2");
        assertThat(Web.header(refused, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(Web.json(refused.body()).get("detail").textValue()).contains("64 readers");
        readers.remove(0).close();
        await().until(() -> server.hystrix().readers() < Broadcast.MOST_READERS);
        try (RawConnection next = RawConnection.reading(uri)) {
            assertThat(next.head()).first().isEqualTo("HTTP/1.1 200 OK");
        }
        for (RawConnection reader : readers) {
            reader.close();
        }
    }

    @Test
    void readers_that_drop_their_connection_leave_nothing_behind() throws Exception {
        for (int i = 0; i < 200; i++) {
            RawConnection reader = RawConnection.reading(uri);
            reader.head();
            if (i % 2 == 0) {
                reader.reset();
            } else {
                reader.close();
            }
            if (server.hystrix().readers() == Broadcast.MOST_READERS) {
                // That they have gone is noticed with the next tick or the one after.
                await().until(() -> server.hystrix().readers() < Broadcast.MOST_READERS);
            }
        }

        await().until(() -> server.hystrix().readers() == 0);
        await().until(() -> threads("degradable-stream-timer") == 0);
    }

    @Test
    void reader_that_never_reads_misses_ticks_and_stops_nobody() throws Exception {
        for (int i = 0; i < 150; i++) {
            commands.register(Ask.withChain("Command-" + i).build());
        }
        try (RawConnection stuck = RawConnection.reading(uri);
                RawConnection reader = RawConnection.reading(uri)) {
            while (server.hystrix().skipped() < 2) {
                reader.lineThatBegins("ping");
            }

            for (int tick = 0; tick < 4; tick++) {
                reader.lineThatBegins("ping");
            }
            long skipped = server.hystrix().skipped();
            assertThat(skipped).isGreaterThanOrEqualTo(4);
            assertThat(server.hystrix().readers()).isEqualTo(2);
            assertThat(stuck.head()).first().isEqualTo("HTTP/1.1 200 OK");
        }
        await().until(() -> server.hystrix().readers() == 0);
    }

    @Test
    void many_readers_hold_no_thread() throws Exception {
        List<RawConnection> readers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            RawConnection reader = RawConnection.reading(uri);
            reader.lineThatBegins("ping");
            readers.add(reader);
        }

        for (RawConnection reader : readers) {
            reader.lineThatBegins("ping");
        }

        assertThat(server.hystrix().readers()).isEqualTo(60);
        assertThat(threads("degradable-stream")).isLessThan(20);
        for (RawConnection reader : readers) {
            reader.close();
        }
    }

    @Test
    void closing_ends_streams_in_order_and_within_a_second() throws Exception {
        List<RawConnection> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RawConnection reader = RawConnection.reading(uri);
            reader.lineThatBegins("ping");
            readers.add(reader);
        }

        long start = System.nanoTime();
        server.close();
        Duration took = Duration.ofNanos(System.nanoTime() - start);

        assertThat(took).isLessThan(Duration.ofSeconds(1));
        for (RawConnection reader : readers) {
            // The last chunk has no bytes: the stream was ended, not cut off.
            assertThat(reader.rest()).endsWith("0", "");
        }
    }

    @Test
    void closing_does_not_wait_for_a_reader_that_never_reads() throws Exception {
        for (int i = 0; i < 150; i++) {
            commands.register(Ask.withChain("Command-" + i).build());
        }
        try (RawConnection stuck = RawConnection.reading(uri)) {
            await().until(() -> server.hystrix().skipped() > 0);

            long start = System.nanoTime();
            server.close();
            Duration took = Duration.ofNanos(System.nanoTime() - start);

            assertThat(took).isLessThan(Duration.ofSeconds(1));
            assertThat(server.hystrix().readers()).isZero();
            assertThat(stuck.head()).first().isEqualTo("HTTP/1.1 200 OK");
        }
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }
}
