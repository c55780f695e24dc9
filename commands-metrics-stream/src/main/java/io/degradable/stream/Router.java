package io.degradable.stream;

import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Finds what is at a path, and says so when nothing is. Threading: any of the server's threads. */
final class Router extends Handler.Abstract {

    private static final String ALLOWED = "GET, HEAD";

    private final Map<String, Route> routes;

    Router(Map<String, Route> routes) {
        this.routes = Map.copyOf(routes);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        Route route = routes.get(path);
        if (route == null) {
            new Problem(HttpStatus.NOT_FOUND_404, "there is nothing at " + path).write(response, callback);
        } else if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, ALLOWED);
            new Problem(HttpStatus.METHOD_NOT_ALLOWED_405, path + " allows " + ALLOWED).write(response, callback);
        } else {
            route.answer(request, response, callback);
        }
        return true;
    }
}
