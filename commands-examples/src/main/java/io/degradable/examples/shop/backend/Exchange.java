package io.degradable.examples.shop.backend;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * One request that a backend has received. It ends exactly once, with {@link #answer} or {@link #cut}.
 *
 * <p>Threading: one thread at a time. Who takes it over from {@link Faults} is decided there.
 */
final class Exchange {
    private final Request request;
    private final Asked asked;
    private final Response response;
    private final Callback callback;
    private final RequestCounts counts;

    Exchange(Request request, String body, Response response, Callback callback, RequestCounts counts) {
        this.request = request;
        asked = new Asked(request.getMethod(), Request.getPathInContext(request), body);
        this.response = response;
        this.callback = callback;
        this.counts = counts;
    }

    Asked asked() {
        return asked;
    }

    void answer(int status, byte[] json) {
        // Before the first byte: a client that has its answer may ask again, and would be counted twice.
        counts.ended();
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, json.length);
        response.write(true, ByteBuffer.wrap(json), callback);
    }

    void cut() {
        counts.ended();
        BackendConnector.cut(endPoint());
        // Quiet on purpose: a cut connection is what was asked for, not a mistake to log.
        callback.failed(new EofException("connection cut"));
    }

    /**
     * Calls when the client closes its connection while it waits. Jetty does not read while a request is being handled, so
     * it would see that only when it writes; until then clients that gave up would look like clients still waiting, and
     * their sockets would stay open. A client that sends more before it has its answer is taken for one that left.
     * What is done without its client is not watched.
     */
    void watchClient(Runnable left) {
        if (asked.doneWithoutClient()) {
            return;
        }
        endPoint().tryFillInterested(Callback.from(left, ignored -> left.run()));
    }

    /** Ends the watch; Jetty itself must be able to read the next request of this connection. */
    void unwatchClient() {
        if (!asked.doneWithoutClient() && endPoint() instanceof AbstractEndPoint watched) {
            watched.getFillInterest().onFail(new EofException("no longer watched"));
        }
    }

    private EndPoint endPoint() {
        return request.getConnectionMetaData().getConnection().getEndPoint();
    }
}
