package io.degradable.stream;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** A connection that says what the test writes and reads only when the test reads. */
final class RawConnection implements AutoCloseable {

    private static final int TOO_LONG_MILLIS = 10_000;

    private final Socket socket = new Socket();
    private final BufferedReader in;

    /** A connection whose system takes in little that nobody reads. */
    RawConnection(URI server) throws IOException {
        socket.setReceiveBufferSize(4_096);
        socket.setSoTimeout(TOO_LONG_MILLIS);
        socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** A connection that has asked for the classic stream. */
    static RawConnection reading(URI server) throws IOException {
        return new RawConnection(server).send("GET /hystrix.stream HTTP/1.1", "Host: " + server.getAuthority());
    }

    RawConnection send(String... lines) throws IOException {
        String request = String.join("\r\n", lines) + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    /** The status line and the headers. */
    List<String> head() throws IOException {
        List<String> head = new ArrayList<>();
        for (String line = line(); line != null && !line.isEmpty(); line = line()) {
            head.add(line);
        }
        return head;
    }

    /** The next line; null at the end. */
    @Nullable
    String line() throws IOException {
        return in.readLine();
    }

    /** Reads on to the next line that begins so. */
    String lineThatBegins(String prefix) throws IOException {
        for (String line = line(); line != null; line = line()) {
            if (line.startsWith(prefix)) {
                return line;
            }
        }
        throw new AssertionError("the connection ended before a line that begins with " + prefix);
    }

    /** Reads on until the server ends the connection. */
    List<String> rest() throws IOException {
        List<String> rest = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            rest.add(line);
        }
        return rest;
    }

    /** Drops the connection without a word: the server sees a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
