package io.degradable.examples.shop.backend;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A backend's port on loopback. While the backend is down every connection is reset as soon as it is accepted. The port
 * itself stays bound: were it closed, the system could give it to somebody's outgoing connection, perhaps the very client that
 * tries to connect to it, and then it could not be opened again.
 *
 * <p>Threading: {@link #cutAll} from any thread; Jetty calls the rest.
 */
final class BackendConnector extends ServerConnector {
    /** Room for as many clients that connect at the same moment; Java's default of 50 would let them wait for a second. */
    private static final int BACKLOG = 2_048;

    private final BooleanSupplier down;

    BackendConnector(Server server, BooleanSupplier down) {
        super(server, 0, 1, new HttpConnectionFactory(configuration()));
        this.down = down;
        setHost("127.0.0.1");
        setPort(0);
        setAcceptQueueSize(BACKLOG);
        setIdleTimeout(0); // a slow answer may take longer than any idle time one would choose
    }

    private static HttpConfiguration configuration() {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        return configuration;
    }

    @Override
    protected void onEndPointOpened(EndPoint endPoint) {
        super.onEndPointOpened(endPoint); // first, so that either this or cutAll sees it
        if (down.getAsBoolean()) {
            cut(endPoint);
        }
    }

    void cutAll() {
        getConnectedEndPoints().forEach(BackendConnector::cut);
    }

    /** Closes a connection so that the other side sees a reset, not an orderly end. */
    static void cut(EndPoint endPoint) {
        if (endPoint.getTransport() instanceof NetworkChannel channel) {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) { // the other side was quicker
                endPoint.close(e);
                return;
            }
        }
        endPoint.close();
    }
}
