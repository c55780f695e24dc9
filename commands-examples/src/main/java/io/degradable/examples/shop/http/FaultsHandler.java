package io.degradable.examples.shop.http;

import io.degradable.examples.shop.backend.Backend;
import io.degradable.examples.shop.backend.Backends;
import io.degradable.examples.shop.backend.Fault;
import io.degradable.examples.shop.backend.FaultJson;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * {@code GET /faults} shows what is wrong with each backend, {@code POST /faults/{backend}} sets it and answers with what is
 * in force then. Every other path is somebody else's.
 *
 * <p>Threading: any of the server's threads; it blocks while a body arrives.
 */
public final class FaultsHandler extends Handler.Abstract {
    private static final String ROOT = "/faults";
    private static final String EACH = ROOT + "/";

    private final Backends backends;

    public FaultsHandler(Backends backends) {
        this.backends = backends;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws IOException {
        String path = Request.getPathInContext(request);
        if (path.equals(ROOT)) {
            showAll(request, response, callback);
            return true;
        }
        if (path.startsWith(EACH)) {
            set(path.substring(EACH.length()), request, response, callback);
            return true;
        }
        return false;
    }

    private void showAll(Request request, Response response, Callback callback) {
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            refuseMethod("GET, HEAD", ROOT, response, callback);
            return;
        }
        Map<String, Fault> faults = new LinkedHashMap<>();
        for (Backend backend : backends.all()) {
            faults.put(backend.name(), backend.fault());
        }
        Json.write(response, callback, HttpStatus.OK_200, faults);
    }

    private void set(String name, Request request, Response response, Callback callback) throws IOException {
        Backend backend = backends.find(name);
        if (backend == null) {
            Problem.of(HttpStatus.NOT_FOUND_404, "there is no backend " + name + "; known are " + names())
                    .write(response, callback);
            return;
        }
        if (!request.getMethod().equals("POST")) {
            refuseMethod("POST", EACH + name, response, callback);
            return;
        }
        byte[] body = read(request);
        if (body.length > FaultJson.MAX_BYTES) {
            Problem.of(
                            HttpStatus.PAYLOAD_TOO_LARGE_413,
                            "the body must not be longer than " + FaultJson.MAX_BYTES + " bytes")
                    .write(response, callback);
            return;
        }
        Fault fault;
        try {
            fault = FaultJson.read(body);
        } catch (IllegalArgumentException e) {
            Problem.of(HttpStatus.BAD_REQUEST_400, String.valueOf(e.getMessage()))
                    .write(response, callback);
            return;
        }
        backend.set(fault);
        Json.write(response, callback, HttpStatus.OK_200, fault);
    }

    /** One byte more than is allowed is enough to know that there are too many. */
    private static byte[] read(Request request) throws IOException {
        try (InputStream body = Content.Source.asInputStream(request)) {
            return body.readNBytes(FaultJson.MAX_BYTES + 1);
        }
    }

    private static void refuseMethod(String allowed, String path, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.ALLOW, allowed);
        Problem.of(HttpStatus.METHOD_NOT_ALLOWED_405, path + " allows " + allowed)
                .write(response, callback);
    }

    private String names() {
        return backends.all().stream().map(Backend::name).collect(Collectors.joining(", "));
    }
}
