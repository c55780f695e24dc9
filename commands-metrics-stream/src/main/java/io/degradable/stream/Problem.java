package io.degradable.stream;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * An answer that says what was wrong with a request, as RFC 9457 lays it out.
 *
 * @param detail what was wrong this time
 */
record Problem(int status, String detail) {

    /** Ends a request with this problem. Headers set before stay. */
    void write(Response response, Callback callback) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        Route.write(response, callback, "application/problem+json", json());
    }

    private byte[] json() {
        return Json.bytes(json -> {
            json.writeStartObject();
            json.writeNumberField("status", status);
            json.writeStringField("title", HttpStatus.getMessage(status));
            json.writeStringField("detail", detail);
            json.writeEndObject();
        });
    }
}
