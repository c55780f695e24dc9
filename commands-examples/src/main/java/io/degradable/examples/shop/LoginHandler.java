package io.degradable.examples.shop;

import io.degradable.Commands;
import io.degradable.examples.shop.client.AccountService;
import io.degradable.examples.shop.client.DeniedException;
import io.degradable.examples.shop.http.Bodies;
import io.degradable.examples.shop.http.Json;
import io.degradable.examples.shop.http.Problem;
import io.degradable.model.TemporaryRefusalException;
import java.io.IOException;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * {@code POST /login}: a token for {@code {"customer":..., "password":...}}. 401 and 403 are answers of the accounts service;
 * 503 says that it could not be asked, which is neither.
 *
 * <p>Threading: any of the server's threads; it blocks for as long as a login may take.
 */
final class LoginHandler extends Handler.Abstract {

    private static final String PATH = "/login";

    private record Credentials(String customer, String password) {}

    private final Commands commands;
    private final AccountService accounts;

    LoginHandler(Commands commands, AccountService accounts) {
        this.commands = commands;
        this.accounts = accounts;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws IOException {
        if (!Request.getPathInContext(request).equals(PATH)) {
            return false;
        }
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            Problem.of(HttpStatus.METHOD_NOT_ALLOWED_405, PATH + " allows POST").write(response, callback);
            return true;
        }
        Credentials credentials;
        try {
            credentials = Bodies.read(request, Credentials.class);
        } catch (IllegalArgumentException wrong) {
            Problem.of(HttpStatus.BAD_REQUEST_400, wrong.getMessage() + "; a login has a customer and a password")
                    .write(response, callback);
            return true;
        }
        login(credentials, response, callback);
        return true;
    }

    private void login(Credentials credentials, Response response, Callback callback) {
        try {
            String token = commands.execute(new Login(accounts, credentials.customer(), credentials.password()));
            Json.write(response, callback, HttpStatus.OK_200, Map.of("token", token));
        } catch (DeniedException no) {
            Denials.write(no, response, callback);
        } catch (TemporaryRefusalException cannotSay) {
            Denials.write(cannotSay, response, callback);
        } catch (IllegalStateException closing) {
            Problem.of(HttpStatus.SERVICE_UNAVAILABLE_503, "the shop is closing")
                    .write(response, callback);
        }
    }
}
