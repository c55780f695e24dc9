package io.degradable.examples.shop;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A real Redis of the test's own, on a free port of this machine, without anything on disk. */
final class RedisServer implements AutoCloseable {

    private final int port = freePort();
    private final Process process;

    RedisServer() {
        boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-server")));
        if (!found) {
            throw new AssertionError("redis-server is not on the PATH, and these tests talk to a real one."
                    + " Install it (apt-get install redis-server), or run ./check, which does.");
        }
        try {
            process = new ProcessBuilder(
                            "redis-server",
                            "--port",
                            Integer.toString(port),
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--appendonly",
                            "no")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        // For a test run that is ended from outside: nobody closes this then.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        try (RedisClient client = RedisClient.create("127.0.0.1", port)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> answers(client));
        } catch (RuntimeException | AssertionError failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    private boolean answers(RedisClient client) {
        if (!process.isAlive()) {
            throw new AssertionError("redis-server ended at once, with " + process.exitValue());
        }
        try {
            return client.ping() != null;
        } catch (JedisConnectionException notYet) {
            return false;
        }
    }

    /** A port that nobody listens on now. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Ends it without a warning. */
    void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("redis-server " + process.pid() + " did not end");
            }
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
