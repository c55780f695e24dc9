package io.degradable.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.HostAndPort;

/**
 * Stands between a client and Redis, and spoils replies as it is told. A client of ours asks and waits, so what comes from
 * Redis in one piece is one reply, as long as it is short.
 */
final class Proxy implements AutoCloseable {

    /** What becomes of one reply. */
    interface Fault {
        void reply(byte[] reply, OutputStream client) throws IOException;
    }

    private final HostAndPort redis;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile Fault fault = passes();
    private ServerSocket entrance;
    private Thread porter;

    Proxy(HostAndPort redis) {
        this.redis = redis;
        this.port = RedisServer.freePort();
        accept();
    }

    static Fault passes() {
        return (reply, client) -> client.write(reply);
    }

    /** Nothing is said, and nothing closed. */
    static Fault hangs() {
        return (reply, client) -> {};
    }

    static Fault delays(long millis) {
        return (reply, client) -> {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            client.write(reply);
        };
    }

    /** So many bytes of it, and then the connection is closed. */
    static Fault cutsAfter(int bytes) {
        return (reply, client) -> {
            client.write(reply, 0, Math.min(bytes, reply.length));
            client.flush();
            throw new IOException("cut on purpose");
        };
    }

    /** One byte is another. */
    static Fault spoils(int position, int bits) {
        return (reply, client) -> {
            byte[] spoilt = reply.clone();
            if (position < spoilt.length) {
                spoilt[position] ^= (byte) bits;
            }
            client.write(spoilt);
        };
    }

    /** Each reply comes twice, so the next request gets the second. */
    static Fault repeats() {
        return (reply, client) -> {
            client.write(reply);
            client.write(reply);
        };
    }

    /** Something else is said in its place. */
    static Fault says(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return (reply, client) -> client.write(bytes);
    }

    HostAndPort address() {
        return new HostAndPort("127.0.0.1", port);
    }

    /** From the next reply on. */
    void set(Fault next) {
        fault = next;
    }

    /** Closes what is open, and takes no connection. */
    void refuse() {
        closeAll();
    }

    /** After {@link #refuse}. */
    void accept() {
        try {
            ServerSocket opened = new ServerSocket();
            opened.setReuseAddress(true);
            opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
            porter = daemon(() -> serve(opened));
            entrance = opened;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void serve(ServerSocket opened) {
        while (!opened.isClosed()) {
            try {
                Socket client = opened.accept();
                sockets.add(client);
                Socket server = new Socket(redis.getHost(), redis.getPort());
                sockets.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                daemon(() -> pump(client, server, passes()));
                daemon(() -> pump(server, client, (reply, to) -> fault.reply(reply, to)));
            } catch (IOException gone) {
                // Closed by the test, or Redis is: the client sees the same.
            }
        }
    }

    private void pump(Socket from, Socket to, Fault each) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                each.reply(Arrays.copyOf(buffer, read), out);
                out.flush();
            }
        } catch (IOException gone) {
            // As above: both sides are closed now.
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void closeAll() {
        try {
            entrance.close();
            porter.join(TimeUnit.SECONDS.toMillis(10)); // until then the machine may let in one more
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closeAll();
    }
}
