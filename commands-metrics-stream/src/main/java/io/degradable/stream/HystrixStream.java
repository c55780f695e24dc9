package io.degradable.stream;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/** {@code /hystrix.stream}: what the Hystrix dashboard and Turbine connect to. Threading: any of the server's threads. */
final class HystrixStream implements Route {

    /** When a place may be free again: readers that have gone are noticed with the next tick or the one after. */
    private static final int RETRY_AFTER_SECONDS = 2;

    private final Broadcast broadcast;

    HystrixStream(Broadcast broadcast) {
        this.broadcast = broadcast;
    }

    @Override
    public void answer(Request request, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream;charset=UTF-8");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, no-store, max-age=0, must-revalidate");
        response.getHeaders().put(HttpHeader.PRAGMA, "no-cache");
        if (HttpMethod.HEAD.is(request.getMethod())) {
            response.write(true, BufferUtil.EMPTY_BUFFER, callback);
        } else if (!broadcast.open(response, callback)) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER_SECONDS);
            new Problem(
                            HttpStatus.SERVICE_UNAVAILABLE_503,
                            "the stream has its " + Broadcast.MOST_READERS + " readers, or is being closed")
                    .write(response, callback);
        }
    }
}
