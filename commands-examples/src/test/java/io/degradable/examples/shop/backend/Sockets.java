package io.degradable.examples.shop.backend;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Clients without any cleverness: one connection each, one request, no second try. Threading: one thread. */
final class Sockets implements AutoCloseable {
    private final List<Socket> open = new ArrayList<>();

    void ask(int howMany, URI base, String path) {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: shop\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        try {
            for (int i = 0; i < howMany; i++) {
                Socket socket = new Socket(base.getHost(), base.getPort());
                open.add(socket);
                socket.getOutputStream().write(request);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each was reset without a byte of an answer. */
    void assertAllCut() {
        for (Socket socket : open) {
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
        }
    }

    /** Closes the connections without waiting for the answers. */
    void leave() {
        for (Socket socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        open.clear();
    }

    @Override
    public void close() {
        leave();
    }
}
