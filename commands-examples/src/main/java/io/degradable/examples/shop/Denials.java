package io.degradable.examples.shop;

import io.degradable.examples.shop.client.DeniedException;
import io.degradable.examples.shop.http.Problem;
import io.degradable.model.TemporaryRefusalException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** How the shop says that it does not serve somebody: no is one thing, "we cannot check" another. */
final class Denials {

    private Denials() {}

    /** 401 or 403: the accounts service said no. */
    static void write(DeniedException no, Response response, Callback callback) {
        if (no.status() == HttpStatus.UNAUTHORIZED_401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"shop\"");
        }
        Problem.of(no.status(), String.valueOf(no.getMessage())).write(response, callback);
    }

    /** 503, with the time to come again when it is known: nobody could say yes or no. */
    static void write(TemporaryRefusalException cannotSay, Response response, Callback callback) {
        cannotSay.headers().forEach(response.getHeaders()::put);
        Problem.of(
                        cannotSay.httpStatus(),
                        "we cannot check just now who you are; nothing is wrong with your login, please try again")
                .write(response, callback);
    }
}
