package io.degradable.stream;

import io.degradable.Commands;
import io.degradable.micrometer.DegradableMeters;
import io.degradable.settings.Require;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.eclipse.jetty.server.Handler;

/**
 * Shows a container over HTTP while it works:
 *
 * <ul>
 *   <li>{@code /} a page with a table, refreshed each second
 *   <li>{@code /degradable/v1/state} everything as one JSON object
 *   <li>{@code /metrics} the meters, as Prometheus reads them
 *   <li>{@code /hystrix.stream} what the Hystrix dashboard and Turbine read
 * </ul>
 *
 * <pre>{@code
 * try (StreamServer server = StreamServer.builder(commands).port(8080).start()) {
 *     System.out.println("watch " + server.uri());
 *     ...
 * }
 * }</pre>
 *
 * <p>It listens on the loopback interface only. Looking changes nothing in the container, and closing the server leaves the
 * container open.
 *
 * <p>Threading: every method may be called from any thread. Requests are answered by a bounded pool of daemon threads of its
 * own; a reader of the stream holds none of them.
 */
public final class StreamServer implements AutoCloseable {

    private static final String THREADS = "degradable-stream";

    /** How long the last tick of the stream is waited for. */
    private static final Duration TICK_GRACE = Duration.ofMillis(200);

    private final JettyServer jetty;
    private final TimerThreads timerThreads = new TimerThreads(THREADS + "-timer");
    private final ScheduledThreadPoolExecutor timer = timer(timerThreads);
    private final Broadcast hystrix;
    private final DegradableMeters meters;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicBoolean closed = new AtomicBoolean();

    private StreamServer(Commands commands, JettyServer jetty) {
        this.jetty = jetty;
        this.hystrix = new Broadcast(timer, new HystrixEvents(commands)::encode);
        this.meters = new DegradableMeters(commands);
    }

    /** A server for a container. */
    public static Builder builder(Commands commands) {
        return new Builder(commands);
    }

    /** What a server is made of. */
    public static final class Builder {

        private final Commands commands;
        private final List<Handler> handlers = new ArrayList<>();
        private @Nullable String service;
        private String host = "127.0.0.1";
        private int port;
        private int threads = 200;

        private Builder(Commands commands) {
            this.commands = commands;
        }

        /** What the service is called in the state; default: the name of the container. */
        public Builder service(String service) {
            this.service = Require.name("service", service);
            return this;
        }

        /** The loopback address to listen on; default 127.0.0.1. Any other is refused until access can be controlled. */
        public Builder host(String host) {
            this.host = host;
            return this;
        }

        /** The port to listen on; default 0, which takes any that is free. */
        public Builder port(int port) {
            Require.that(port >= 0 && port <= 65_535, "port must be from 0 to 65535, was " + port);
            this.port = port;
            return this;
        }

        /**
         * The most threads that answer requests, 8 or more; default 200. They are made when needed. The server itself gets
         * along with few; handlers of the application may wait in them.
         */
        public Builder threads(int threads) {
            Require.that(threads >= 8, "threads must be at least 8, was " + threads);
            this.threads = threads;
            return this;
        }

        /** Adds a handler of the application to the same port. They are asked in order, before the server's own routes. */
        public Builder handler(Handler handler) {
            this.handlers.add(handler);
            return this;
        }

        /**
         * Takes the port and starts to answer.
         *
         * @throws IllegalArgumentException when the host is not a loopback address
         * @throws java.net.BindException when the port cannot be had; the message names host and port
         * @throws java.net.UnknownHostException when there is no such host
         */
        public StreamServer start() throws IOException {
            StreamServer server = new StreamServer(commands, JettyServer.open(THREADS, host, port, threads));
            try {
                server.start(this);
            } catch (Throwable e) {
                server.close();
                throw e;
            }
            return server;
        }
    }

    private static ScheduledThreadPoolExecutor timer(TimerThreads threads) {
        ScheduledThreadPoolExecutor timer = TimerThreads.timer(threads);
        timer.setKeepAliveTime(1, TimeUnit.SECONDS); // no reader, no thread
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    private void start(Builder builder) {
        Commands commands = builder.commands;
        meters.bindTo(registry);
        String service = builder.service == null ? commands.name() : builder.service;
        StateJson state = new StateJson(commands, service);
        Map<String, Route> routes = new HashMap<>(Page.routes());
        routes.put("/degradable/v1/state", Route.of("application/json", state::bytes));
        routes.put("/metrics", Route.of("text/plain;version=0.0.4;charset=utf-8", () -> Text.utf8(registry.scrape())));
        routes.put("/hystrix.stream", new HystrixStream(hystrix));
        List<Handler> handlers = new ArrayList<>(builder.handlers);
        handlers.add(new Router(routes));
        jetty.start(handlers);
    }

    /** Where it listens, with a slash at the end: {@code http://127.0.0.1:8080/}. */
    public URI uri() {
        return jetty.uri();
    }

    Broadcast hystrix() {
        return hystrix;
    }

    /**
     * Ends the streams, gives requests in flight a moment, frees the port, and waits for its threads, all within a second and
     * a half. Again it does nothing.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        hystrix.close();
        timer.shutdown();
        jetty.close();
        meters.close();
        registry.close();
        awaitLastTick();
    }

    /** A tick waits for nothing, so this takes next to no time; an interrupt instead would cut connections. */
    private void awaitLastTick() {
        if (!timerThreads.awaitEnd(TICK_GRACE)) {
            timer.shutdownNow();
        }
    }
}
