package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BackendTest {
    /** Closing takes some tens of milliseconds. Jetty would wait longer than this for a thread that does not end. */
    static final Duration NO_WAIT = Duration.ofSeconds(2);

    private static final String PATH = "/stock/7";

    private Backend backend;
    private Probe probe;

    @BeforeEach
    void start() throws Exception {
        backend = Backend.start("stock", new StockBackend());
        probe = new Probe(backend);
    }

    @AfterEach
    void end() {
        probe.close();
        backend.close();
    }

    @Test
    void backend_with_nothing_wrong_answers_json() throws Exception {
        var response = probe.get(PATH);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(response.body()).isEqualTo("{\"id\":7,\"available\":19}");
    }

    @Test
    void unknown_ids_and_paths_are_not_found() throws Exception {
        for (String path : List.of("/stock/0", "/stock/10001", "/stock/x", "/stock/", "/stock", "/", "/products/1")) {
            assertThat(probe.status(path)).as(path).isEqualTo(404);
        }
        assertThat(probe.status("/stock/1")).isEqualTo(200);
        assertThat(probe.status("/stock/10000")).isEqualTo(200);
    }

    @Test
    void only_get_is_allowed() throws Exception {
        assertThat(probe.statusOf("POST", PATH)).isEqualTo(405);
        assertThat(probe.statusOf("DELETE", PATH)).isEqualTo(405);
    }

    @Test
    void down_gives_no_answer_and_heals_on_the_same_port() throws Exception {
        URI before = backend.uri();
        assertThat(probe.status(PATH)).isEqualTo(200); // so that a kept connection exists

        backend.set(Fault.down());

        assertThatThrownBy(() -> probe.get(PATH)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> probe.get(PATH)).isInstanceOf(IOException.class);
        assertThat(backend.requests()).isEqualTo(1);

        backend.set(Fault.up());

        assertThat(probe.status(PATH)).isEqualTo(200);
        assertThat(backend.uri()).isEqualTo(before);
    }

    @Test
    void down_cuts_requests_that_wait() {
        backend.set(Fault.hang());
        CompletableFuture<Integer> waiting = probe.begin(PATH);
        awaitInFlight(1);

        backend.set(Fault.down());

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(IOException.class);
        awaitInFlight(0);
    }

    @Test
    void slow_answers_but_not_before_its_latency() throws Exception {
        backend.set(Fault.slow(150));

        long start = System.nanoTime();
        int status = probe.status(PATH);
        long took = System.nanoTime() - start;

        assertThat(status).isEqualTo(200);
        assertThat(took).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(150));
    }

    @Test
    void slow_request_is_answered_at_once_when_healed() {
        backend.set(Fault.slow(60_000));
        CompletableFuture<Integer> waiting = probe.begin(PATH);
        awaitInFlight(1);

        backend.set(Fault.up());

        assertThat(waiting.join()).isEqualTo(200);
    }

    @Test
    void hanging_request_meets_whatever_comes_next() {
        backend.set(Fault.hang());
        CompletableFuture<Integer> waiting = probe.begin(PATH);
        awaitInFlight(1);

        backend.set(Fault.hang()); // no change, so nothing moves
        backend.set(Fault.slow(60_000));
        assertThat(backend.inFlight()).isEqualTo(1);
        assertThat(waiting).isNotDone();
        backend.set(Fault.errors(1));

        assertThat(waiting.join()).isEqualTo(500);
    }

    @Test
    void five_hundred_hanging_requests_are_answered_once_it_is_up_and_so_are_the_next() throws Exception {
        backend.set(Fault.hang());
        List<CompletableFuture<Integer>> waiting = probe.begin(500, PATH);
        awaitInFlight(500);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        backend.set(Fault.up());

        assertThat(waiting).allMatch(answer -> answer.join() == 200);
        assertThat(probe.status(PATH)).isEqualTo(200);
        assertThat(backend.inFlight()).isZero();
    }

    @Test
    void connection_of_a_request_that_hung_serves_the_next_requests() throws Exception {
        for (int round = 0; round < 20; round++) {
            backend.set(Fault.hang());
            CompletableFuture<Integer> waiting = probe.begin(PATH);
            awaitInFlight(1);
            backend.set(Fault.up());
            assertThat(waiting.join()).isEqualTo(200);
            assertThat(probe.status(PATH)).isEqualTo(200);
        }
    }

    @Test
    void closing_does_not_wait_for_a_thousand_hanging_requests() {
        backend.set(Fault.hang());
        try (Sockets clients = new Sockets()) {
            clients.ask(1_000, backend.uri(), PATH);
            awaitInFlight(1_000);

            assertTimeout(NO_WAIT, backend::close);

            clients.assertAllCut();
        }
    }

    @Test
    void errors_come_with_status_500() throws Exception {
        backend.set(Fault.errors(1));

        assertThat(probe.status(PATH)).isEqualTo(500);
        assertThat(probe.status(PATH)).isEqualTo(500);
    }

    @Test
    void error_rate_is_kept_and_the_same_in_every_run() throws Exception {
        for (var expected : List.of(new Share(0, 0), new Share(0.25, 50), new Share(0.5, 100), new Share(1, 200))) {
            backend.set(Fault.up());
            backend.set(Fault.errors(expected.rate));

            int errors = 0;
            for (int i = 0; i < 200; i++) {
                errors += probe.status(PATH) == 500 ? 1 : 0;
            }

            assertThat(errors).as("%s", expected).isBetween(expected.errors - 1, expected.errors + 1);
        }
    }

    private record Share(double rate, int errors) {}

    @Test
    void errors_may_be_slow_too() throws Exception {
        backend.set(new Fault(Mode.ERRORS, 100, 1));

        long start = System.nanoTime();
        int status = probe.status(PATH);
        long took = System.nanoTime() - start;

        assertThat(status).isEqualTo(500);
        assertThat(took).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    }

    @Test
    void client_that_leaves_while_it_waits_is_no_longer_in_flight() {
        for (Fault fault : List.of(Fault.hang(), Fault.slow(60_000))) {
            backend.set(fault);
            try (Sockets clients = new Sockets()) {
                clients.ask(50, backend.uri(), PATH);
                awaitInFlight(50);

                clients.leave();

                awaitInFlight(0);
            }
        }
    }

    @Test
    void highest_number_in_flight_is_exact() throws Exception {
        backend.set(Fault.hang());
        List<CompletableFuture<Integer>> waiting = probe.begin(7, PATH);
        awaitInFlight(7);
        backend.set(Fault.up());
        waiting.forEach(CompletableFuture::join);
        probe.get(PATH);

        assertThat(backend.maxConcurrent()).isEqualTo(7);
        assertThat(backend.requests()).isEqualTo(8);

        backend.resetMaxConcurrent();
        assertThat(backend.maxConcurrent()).isZero();
        probe.get(PATH);
        assertThat(backend.maxConcurrent()).isEqualTo(1);
    }

    @Test
    void clients_that_keep_to_a_bound_are_never_counted_above_it() throws Exception {
        int bound = 4;
        ExecutorService clients = Executors.newFixedThreadPool(bound);
        List<Future<Integer>> errors = IntStream.range(0, bound)
                .mapToObj(n -> clients.submit(() -> {
                    int notAnswered = 0;
                    for (int i = 0; i < 500; i++) {
                        notAnswered += probe.status(PATH) == 200 ? 0 : 1;
                    }
                    return notAnswered;
                }))
                .toList();

        for (Future<Integer> client : errors) {
            assertThat(client.get()).isZero();
        }

        clients.shutdown();
        assertThat(backend.requests()).isEqualTo(bound * 500L);
        assertThat(backend.maxConcurrent()).isBetween(1, bound);
    }

    @Test
    void faults_that_change_under_load_lose_no_request() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService clients = Executors.newFixedThreadPool(8);
        List<Future<Integer>> ended = IntStream.range(0, 8)
                .mapToObj(n -> clients.submit(() -> {
                    int asked = 0;
                    for (; !over.get(); asked++) {
                        try {
                            assertThat(probe.status(PATH)).isIn(200, 500);
                        } catch (IOException e) {
                            assertThat(e).isNotInstanceOf(HttpTimeoutException.class); // cut, as it may be
                        }
                    }
                    return asked;
                }))
                .toList();

        SplittableRandom random = new SplittableRandom(1);
        List<Fault> faults =
                List.of(Fault.up(), Fault.down(), Fault.hang(), Fault.slow(1), Fault.slow(60_000), Fault.errors(0.5));
        for (int i = 0; i < 1_000; i++) {
            backend.set(faults.get(random.nextInt(faults.size())));
            long seen = backend.requests();
            for (int spin = random.nextInt(1_000); spin > 0 && backend.requests() == seen; spin--) {
                Thread.onSpinWait();
            }
        }
        backend.set(Fault.up());
        over.set(true);

        for (Future<Integer> client : ended) {
            assertThat(client.get()).isPositive();
        }
        clients.shutdown();
        assertThat(backend.inFlight()).isZero();
        assertThat(probe.status(PATH)).isEqualTo(200);
    }

    private void awaitInFlight(int expected) {
        await().pollInterval(Duration.ofMillis(2))
                .untilAsserted(() -> assertThat(backend.inFlight()).isEqualTo(expected));
    }
}
