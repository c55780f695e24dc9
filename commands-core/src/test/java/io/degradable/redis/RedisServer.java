package io.degradable.redis;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** A real Redis of the test's own, on a free port of this machine and without anything on disk. */
final class RedisServer implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int TIMEOUT_MILLIS = 5_000;

    static {
        // Jedis writes a stack trace for each connection that it does not get, and these tests let it get thousands of
        // none.
        if (LoggerFactory.getLogger("redis.clients.jedis") instanceof Logger jedis) {
            jedis.setLevel(Level.OFF);
        }
    }

    private final Path folder;
    private final int port;
    private final List<String> command;
    private Process process;

    private RedisServer(Path folder, int port, List<String> command) {
        this.folder = folder;
        this.port = port;
        this.command = command;
        this.process = launch();
    }

    /** Starts one with these lines in its configuration. */
    static RedisServer start(String... lines) {
        return start(freePort(), List.of(), lines);
    }

    /** Starts one that watches others. */
    static RedisServer sentinel(String... lines) {
        return start(freePort(), List.of("--sentinel"), lines);
    }

    static RedisServer start(int port, List<String> arguments, String... lines) {
        requireRedis();
        try {
            Path folder = Files.createTempDirectory("redis");
            List<String> all = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1", "dir " + folder));
            if (arguments.isEmpty()) {
                all.addAll(List.of("save \"\"", "appendonly no", "repl-diskless-sync-delay 0"));
            }
            all.addAll(List.of(lines));
            Path settings = Files.write(folder.resolve("redis.conf"), all);
            List<String> command = new ArrayList<>(List.of("nice", "-n", "19", "redis-server", settings.toString()));
            command.addAll(arguments);
            return new RedisServer(folder, port, command);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void requireRedis() {
        boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-server")));
        if (!found) {
            throw new AssertionError("redis-server is not on the PATH, and these tests talk to a real one."
                    + " Install it (apt-get install redis-server), or run ./check, which does.");
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

    private Process launch() {
        try {
            Process launched = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("redis.log").toFile())
                    .start();
            // For a test run that is ended from outside: nobody closes this then.
            Runtime.getRuntime().addShutdownHook(new Thread(launched::destroyForcibly));
            awaitAnswer(launched);
            return launched;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void awaitAnswer(Process launched) throws IOException {
        try {
            await().atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> {
                        if (!launched.isAlive()) {
                            throw new AssertionError("redis-server ended at once");
                        }
                        return answers();
                    });
        } catch (RuntimeException | AssertionError failed) {
            launched.destroyForcibly();
            throw new AssertionError(Files.readString(folder.resolve("redis.log")), failed);
        }
    }

    private boolean answers() {
        try {
            return run("PING") != null;
        } catch (JedisException notYet) {
            return false;
        }
    }

    HostAndPort address() {
        return new HostAndPort("127.0.0.1", port);
    }

    /** What it says to a command, over a connection of its own. */
    Object run(String name, String... arguments) {
        try (Connection connection = new Connection(
                address(),
                RedisCaches.clientConfig(Duration.ofMillis(TIMEOUT_MILLIS)).build())) {
            CommandArguments request = new CommandArguments(() -> name.getBytes(StandardCharsets.UTF_8));
            for (String argument : arguments) {
                request.add(argument);
            }
            return connection.executeCommand(request);
        }
    }

    String text(String name, String... arguments) {
        return new String((byte[]) run(name, arguments), StandardCharsets.UTF_8);
    }

    /** Ends it without a warning. */
    void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("redis-server " + process.pid() + " did not end");
            }
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts it again after {@link #kill}, on the same port and empty. */
    void restart() {
        process = launch();
    }

    /** It keeps its connections, takes new ones, and says nothing. */
    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new AssertionError("kill -" + name + " ended with " + code);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException overdue) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
