package io.degradable.archaius;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives out properties over HTTP, or answers 500, or takes the request and says nothing. */
final class ConfigServer implements AutoCloseable {

    private static final String HANGS = "hangs";
    private static final String FAILS = "fails";

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    private volatile String behaviour = FAILS;

    ConfigServer() throws IOException {
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        String now = behaviour;
        if (now.equals(HANGS)) {
            try {
                closed.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }
        byte[] body = now.getBytes(UTF_8);
        exchange.sendResponseHeaders(now.equals(FAILS) || now.equals(HANGS) ? 500 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    void gives(String properties) {
        behaviour = properties;
    }

    void hangs() {
        behaviour = HANGS;
    }

    void fails() {
        behaviour = FAILS;
    }

    int requests() {
        return requests.get();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/settings.properties";
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
