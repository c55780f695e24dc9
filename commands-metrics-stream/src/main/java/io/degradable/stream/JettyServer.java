package io.degradable.stream;

import io.degradable.settings.Require;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loopback port and the Jetty behind it.
 *
 * <p>Threading: every method may be called from any thread. Its own are daemons and have names that begin with the one it
 * was given: a selector, an acceptor, a scheduler, and as many workers as requests need, up to a bound.
 */
final class JettyServer implements AutoCloseable {

    /** How long requests in flight may go on when the server closes. Afterwards their threads get as much again. */
    private static final Duration CLOSE_GRACE = Duration.ofMillis(300);

    /** How long a connection that is open but idle is waited for then. */
    private static final Duration IDLE_GRACE = Duration.ofMillis(50);

    private static final Logger LOG = LoggerFactory.getLogger(JettyServer.class);

    private final Server server;
    private final ServerConnector connector;
    private final Scheduling scheduling;
    private final URI uri;

    /** Jetty's timer, made here since Jetty stops its own without waiting for the thread. */
    private record Scheduling(TimerThreads threads, ScheduledExecutorService timer) {

        static Scheduling named(String name) {
            TimerThreads threads = new TimerThreads(name);
            return new Scheduling(threads, TimerThreads.timer(threads));
        }

        void end() {
            timer.shutdownNow();
            if (!threads.awaitEnd(CLOSE_GRACE)) {
                LOG.debug("the scheduler is still at work after {}", CLOSE_GRACE);
            }
        }
    }

    private JettyServer(Server server, ServerConnector connector, Scheduling scheduling, URI uri) {
        this.server = server;
        this.connector = connector;
        this.scheduling = scheduling;
        this.uri = uri;
    }

    /**
     * Takes the port, and starts nothing yet: one that is busy leaves nothing behind.
     *
     * @param threads the most there are
     */
    static JettyServer open(String name, String host, int port, int threads) throws IOException {
        InetAddress address = InetAddress.getByName(host);
        Require.that(
                address.isLoopbackAddress(),
                "host must be a loopback address such as 127.0.0.1, was " + host
                        + ": on another one everybody could look in, and access is not controlled yet");
        Scheduling scheduling = Scheduling.named(name + "-scheduler");
        Server server = server(name, threads, scheduling);
        ServerConnector connector = connector(server, address, port);
        server.addConnector(connector);
        try {
            connector.open();
        } catch (IOException e) {
            throw cannotListen(host, port, e);
        }
        String authority = (host.contains(":") ? "[" + host + "]" : host) + ":" + connector.getLocalPort();
        return new JettyServer(server, connector, scheduling, URI.create("http://" + authority + "/"));
    }

    private static Server server(String name, int threads, Scheduling scheduling) {
        QueuedThreadPool pool = new QueuedThreadPool(threads, 2);
        pool.setName(name);
        pool.setDaemon(true);
        pool.setStopTimeout(CLOSE_GRACE.toMillis());
        Server server = new Server(pool, new ScheduledExecutorScheduler(scheduling.timer()), null);
        server.setStopTimeout(CLOSE_GRACE.toMillis());
        server.setErrorHandler(new ErrorProblem());
        return server;
    }

    private static ServerConnector connector(Server server, InetAddress address, int port) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        connector.setHost(address.getHostAddress());
        connector.setPort(port);
        connector.setShutdownIdleTimeout(IDLE_GRACE.toMillis());
        return connector;
    }

    /** Jetty hides why inside, and the message of the JDK does not name the port. */
    private static BindException cannotListen(String host, int port, IOException why) {
        Throwable innermost = why.getCause() == null ? why : why.getCause();
        BindException refused =
                new BindException("cannot listen on " + host + ":" + port + ": " + innermost.getMessage());
        refused.initCause(why);
        return refused;
    }

    /** Starts to answer; handlers are asked in order. */
    void start(List<Handler> handlers) {
        server.setHandler(new Handler.Sequence(handlers));
        try {
            server.start();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the server does not start", e);
        }
    }

    /** Where it listens, with a slash at the end. */
    URI uri() {
        return uri;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (TimeoutException e) {
            LOG.debug("cut off what was still being answered after {}", CLOSE_GRACE, e);
        } catch (Exception e) {
            LOG.warn("the server did not stop in order", e);
        }
        connector.close(); // still open when the server was never started
        scheduling.end();
    }
}
