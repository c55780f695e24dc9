package io.degradable.examples.shop.backend;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * One HTTP service on a free port of 127.0.0.1 that can be broken and healed while it runs. A change of the fault reaches
 * waiting requests too: what hangs is answered once the backend is up, cut once it is down.
 *
 * <p>Threading: any thread may set and ask. Requests are answered by a few daemon threads of the backend's own; one that
 * waits holds none of them.
 */
public final class Backend implements AutoCloseable {
    /** Enough for any load: an answer is computed or read from memory, and whoever waits holds no thread. */
    static final int THREADS = 16;

    private static final ObjectWriter JSON = JsonMapper.builder().build().writer();

    private final String name;
    private final Service service;
    private final Faults faults = new Faults();
    private final RequestCounts counts = new RequestCounts();
    private final Server server;
    private final BackendConnector connector;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Backend(String name, Service service) {
        this.name = name;
        this.service = service;
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName(name);
        threads.setDaemon(true);
        server = new Server(threads);
        connector = new BackendConnector(server, () -> fault().mode() == Mode.DOWN);
        server.addConnector(connector);
        server.setHandler(new Front());
    }

    static Backend start(String name, Service service) throws Exception {
        Backend backend = new Backend(name, service);
        try {
            backend.server.start();
        } catch (Exception e) {
            backend.close();
            throw e;
        }
        return backend;
    }

    /** The name under which {@link Backends} knows it. */
    public String name() {
        return name;
    }

    /** Where it listens, whatever is wrong with it: {@code http://127.0.0.1:port}. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort());
    }

    /** What is wrong with it now. */
    public Fault fault() {
        return faults.inForce();
    }

    /** Makes it behave so from now on, for requests that already wait as well. */
    public synchronized void set(Fault fault) {
        List<Exchange> waiting = faults.set(fault);
        if (fault.mode() == Mode.DOWN) {
            connector.cutAll();
            waiting.forEach(Exchange::cut);
        } else {
            waiting.forEach(exchange -> server.getThreadPool().execute(() -> serve(exchange)));
        }
    }

    /** Requests received since it was started. A connection that was cut before it said anything is none. */
    public long requests() {
        return counts.received();
    }

    /** Requests received and not yet ended. */
    public int inFlight() {
        return counts.inFlight();
    }

    /**
     * The highest number of requests that were in flight at once. A request ends before its client has the answer, so that
     * a client that keeps to a bound is never counted above it; one that gives up while it waits is seen to leave a moment
     * later, and may be.
     */
    public int maxConcurrent() {
        return counts.maxConcurrent();
    }

    /** Starts {@link #maxConcurrent} anew, at what is in flight now. */
    public void resetMaxConcurrent() {
        counts.resetMaxConcurrent();
    }

    /** Cuts what is open and ends the service; no request is waited for. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            // What waits is dropped, not ended one by one: with the server gone nobody is left to be told.
            faults.set(Fault.down());
            connector.cutAll();
            LifeCycle.stop(server);
        } finally {
            service.close();
        }
    }

    private void serve(Exchange exchange) {
        Episode met = faults.meet(exchange);
        Fault fault = met.fault();
        switch (fault.mode()) {
            case UP -> answer(exchange);
            case DOWN -> exchange.cut();
            case SLOW, ERRORS -> {
                if (fault.holds()) {
                    server.getScheduler().schedule(() -> late(exchange, met), fault.latencyMs(), TimeUnit.MILLISECONDS);
                } else {
                    finish(exchange, met);
                }
            }
            case HANG -> {} // held until the fault changes or the client leaves
        }
    }

    /** Called by the scheduler's only thread, which therefore answers nothing itself. */
    private void late(Exchange exchange, Episode met) {
        if (faults.letGo(exchange, met)) {
            server.getThreadPool().execute(() -> finish(exchange, met));
        }
    }

    private void finish(Exchange exchange, Episode met) {
        if (met.nextFails()) {
            reply(exchange, Reply.refusal(service.faultStatus(), name + " has a fault"));
        } else {
            answer(exchange);
        }
    }

    private void answer(Exchange exchange) {
        Reply reply;
        try {
            reply = service.answer(exchange.asked());
        } catch (Exception e) {
            reply = Reply.refusal(HttpStatus.INTERNAL_SERVER_ERROR_500, name + " failed: " + e);
        }
        reply(exchange, reply);
    }

    private static void reply(Exchange exchange, Reply reply) {
        exchange.answer(reply.status(), json(reply.value()));
    }

    private static byte[] json(Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not writable as JSON: " + value, e); // our own records always are
        }
    }

    /** Where Jetty hands requests over. */
    private final class Front extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws IOException {
            String body = body(request); // first: what has not been received in full meets no fault
            counts.started();
            serve(new Exchange(request, body, response, callback, counts));
            return true;
        }

        private static String body(Request request) throws IOException {
            try (InputStream body = Content.Source.asInputStream(request)) {
                return new String(body.readNBytes(Asked.MAX_BODY_BYTES), StandardCharsets.UTF_8);
            }
        }
    }
}
