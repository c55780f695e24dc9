package io.degradable.stream;

import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What Jetty answers when a request is malformed or a handler throws, instead of its page: it says what kind of mistake
 * that was, and nothing of what the program was doing. Jetty itself logs the exception.
 */
final class ErrorProblem implements Request.Handler {

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        String whose =
                HttpStatus.isServerError(status) ? "the request could not be answered" : "the request is malformed";
        new Problem(status, whose).write(response, callback);
        return true;
    }
}
