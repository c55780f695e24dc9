package io.degradable.stream;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;

/** The page at {@code /}: three files that come with the module and load nothing from anywhere else. */
final class Page {

    /** The browser runs our script, uses our style sheet and asks our state; everything else it refuses. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private Page() {}

    static Map<String, Route> routes() {
        return Map.of(
                "/", file("table.html", "text/html;charset=utf-8"),
                "/table.css", file("table.css", "text/css;charset=utf-8"),
                "/table.js", file("table.js", "text/javascript;charset=utf-8"));
    }

    private static Route file(String name, String contentType) {
        byte[] content = read(name);
        return (request, response, callback) -> {
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache");
            response.getHeaders().put("Content-Security-Policy", POLICY);
            response.getHeaders().put("Referrer-Policy", "no-referrer");
            Route.write(response, callback, contentType, content);
        };
    }

    private static byte[] read(String name) {
        try (InputStream file = Page.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("the module's jar lacks " + name);
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the module's jar is damaged at " + name, e);
        }
    }
}
