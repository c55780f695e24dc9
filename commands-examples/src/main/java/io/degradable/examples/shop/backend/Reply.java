package io.degradable.examples.shop.backend;

import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;

/** What a backend says: a status, and a value that is written as JSON. */
record Reply(int status, Object value) {

    static Reply ok(Object value) {
        return new Reply(HttpStatus.OK_200, value);
    }

    /** No, and why. */
    static Reply refusal(int status, String why) {
        return new Reply(status, Map.of("error", why));
    }

    static Reply nothingAt(String path) {
        return refusal(HttpStatus.NOT_FOUND_404, "nothing at " + path);
    }

    static Reply onlyAllowed(String method) {
        return refusal(HttpStatus.METHOD_NOT_ALLOWED_405, "only " + method + " is allowed");
    }
}
