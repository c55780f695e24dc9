package io.degradable.stream;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** What is at one path. Threading: any of the server's threads. */
@FunctionalInterface
interface Route {

    /** Answers a GET or HEAD. To a HEAD Jetty sends the headers of what is written here. */
    void answer(Request request, Response response, Callback callback);

    /** A route to something that is read anew for each request. */
    static Route of(String contentType, Supplier<byte[]> content) {
        return (request, response, callback) -> {
            byte[] body = content.get(); // first: an answer that cannot be made must not have begun
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            write(response, callback, contentType, body);
        };
    }

    /** Ends a request with a body. Status and headers set before stay. */
    static void write(Response response, Callback callback, String contentType, byte[] body) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.write(true, ByteBuffer.wrap(body), callback);
    }
}
