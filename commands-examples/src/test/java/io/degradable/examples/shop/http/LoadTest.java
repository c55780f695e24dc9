package io.degradable.examples.shop.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class LoadTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Every fourth answer fails, every fourth does not name its source. */
    private static final class Shop extends Handler.Abstract {
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            int n = asked.incrementAndGet();
            if (!Request.getPathInContext(request).matches("/products/[1-9][0-9]*")) {
                Problem.of(404, "not asked for by a load").write(response, callback);
                return true;
            }
            switch (n % 4) {
                case 0 -> response.getHeaders().put("X-Data-Source", "primary");
                case 1 -> response.getHeaders().put("X-Data-Source", "cache");
                case 2 -> {
                    request.getConnectionMetaData().getConnection().close();
                    callback.succeeded();
                    return true;
                }
                default -> {}
            }
            Json.write(response, callback, 200, Map.of());
            return true;
        }
    }

    /** Answers nothing until it is told to. */
    private static final class Stuck extends Handler.Abstract {
        final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        volatile boolean stuck = true;

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put("X-Data-Source", "static");
            Runnable answer = () -> Json.write(response, callback, 200, Map.of());
            if (stuck) {
                waiting.add(answer);
            } else {
                answer.run();
            }
            return true;
        }
    }

    @Test
    void everything_that_was_sent_is_counted_once_when_it_has_stopped() throws Exception {
        Shop shop = new Shop();
        try (TestServer server = new TestServer(shop);
                Load load = new Load(server.uri(), 500)) {
            load.start();
            await().until(() -> load.counts().sent() >= 200);

            assertThat(load.stop(LIMIT)).isTrue();

            LoadCounts counts = load.counts();
            assertThat(counts.bySource()).containsOnlyKeys("primary", "cache");
            assertThat(sum(counts)).isEqualTo(counts.sent());
            assertThat(counts.errors()).isGreaterThanOrEqualTo(counts.sent() / 4);
            assertThat(counts.dropped()).isZero();
            assertThat(load.counts()).isEqualTo(counts);
        }
    }

    @Test
    void more_than_two_seconds_of_requests_are_never_in_flight() throws Exception {
        Stuck shop = new Stuck();
        try (TestServer server = new TestServer(shop);
                Load load = new Load(server.uri(), 50)) {
            load.start();
            await().until(() -> load.counts().dropped() > 5);
            assertThat(load.counts().sent()).isEqualTo(100);
            assertThat(load.stop(Duration.ofMillis(1))).isFalse();

            shop.stuck = false;
            await().until(() -> shop.waiting.size() == 100);
            shop.waiting.forEach(Runnable::run);

            assertThat(load.stop(LIMIT)).isTrue();
            assertThat(load.counts().bySource()).containsExactly(Map.entry("static", 100L));
        }
    }

    @Test
    void closing_waits_for_nothing() throws Exception {
        Stuck shop = new Stuck();
        try (TestServer server = new TestServer(shop)) {
            Load load = new Load(server.uri(), 100);
            load.start();
            await().until(() -> !shop.waiting.isEmpty());

            load.close();

            assertThat(load.counts().sent()).isPositive();
            assertThat(load.counts().bySource()).isEmpty();
        }
    }

    @Test
    void load_of_zero_sends_nothing() throws Exception {
        Shop shop = new Shop();
        try (TestServer server = new TestServer(shop);
                Load load = new Load(server.uri(), 0)) {
            load.start();

            assertThat(load.stop(LIMIT)).isTrue();
            assertThat(load.counts()).isEqualTo(new LoadCounts(0, 0, 0, Map.of()));
            assertThat(shop.asked).hasValue(0);
        }
    }

    @Test
    void wrong_rates_are_refused() {
        URI base = URI.create("http://127.0.0.1:1");

        assertThatThrownBy(() -> new Load(base, -1)).hasMessage("perSecond must be from 0 to 10000, was -1");
        assertThatThrownBy(() -> new Load(base, 10_001)).hasMessage("perSecond must be from 0 to 10000, was 10001");
    }

    private static long sum(LoadCounts counts) {
        return counts.errors()
                + counts.bySource().values().stream().mapToLong(Long::longValue).sum();
    }
}
