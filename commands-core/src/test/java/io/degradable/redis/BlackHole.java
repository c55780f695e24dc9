package io.degradable.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.HostAndPort;

/** An address where nobody says yes or no: it listens, takes no connection, and its queue of those that wait is full. */
final class BlackHole implements AutoCloseable {

    private static final int ENOUGH = 64;

    private final ServerSocket entrance = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> waiting = new ArrayList<>();

    BlackHole() throws IOException {
        while (waiting.size() < ENOUGH) {
            Socket next = new Socket();
            waiting.add(next);
            try {
                next.connect(entrance.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException full) {
                return;
            }
        }
        throw new IOException("this machine lets everybody in");
    }

    HostAndPort address() {
        return new HostAndPort("127.0.0.1", entrance.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : waiting) {
            socket.close();
        }
        entrance.close();
    }
}
