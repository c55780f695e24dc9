package io.degradable.examples.shop.http;

import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * An answer that says what was wrong with a request, as RFC 9457 lays it out. It has no type of its own, so the title is the
 * name of the status.
 *
 * @param detail what was wrong this time, and what would be allowed
 */
public record Problem(int status, String title, String detail) {

    /** A problem with the title that goes with the status. */
    public static Problem of(int status, String detail) {
        return new Problem(status, HttpStatus.getMessage(status), detail);
    }

    /** Ends a request with this problem. Headers set before stay. */
    public void write(Response response, Callback callback) {
        Json.write(response, callback, status, "application/problem+json", this);
    }
}
