package io.degradable.examples.shop.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import javax.annotation.concurrent.GuardedBy;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Who somebody is. {@code POST /logins} gives a token for a name and a password, {@code POST /checks} the name for a token;
 * 401 when either is wrong, 403 for a customer who is locked out. Tokens live in memory; the oldest go when there are many.
 *
 * <p>Threading: any.
 */
final class AccountsBackend implements Service {
    private static final int MOST_TOKENS = 10_000;
    private static final int TOKEN_BYTES = 16;

    /** For everybody to see, as in any demonstration. */
    private static final Map<String, String> PASSWORDS =
            Map.of("anna", "oak-and-linen", "ben", "steel-and-glass", "carl", "cork-and-wool");

    private static final String LOCKED_OUT = "carl";

    record Credentials(String customer, String password) {}

    record Token(String token) {}

    record Customer(String customer) {}

    private final SecureRandom random = new SecureRandom();

    @GuardedBy("this")
    private final Map<String, String> customersByToken = new LinkedHashMap<>();

    @Override
    public Reply answer(Asked asked) {
        boolean login = asked.path().equals("/logins");
        if (!login && !asked.path().equals("/checks")) {
            return Reply.nothingAt(asked.path());
        }
        if (!asked.method().equals("POST")) {
            return Reply.onlyAllowed("POST");
        }
        return login
                ? login(Bodies.read(asked.body(), Credentials.class))
                : check(Bodies.read(asked.body(), Token.class));
    }

    private Reply login(@Nullable Credentials credentials) {
        if (credentials == null) {
            return Reply.refusal(HttpStatus.BAD_REQUEST_400, "a login has a customer and a password");
        }
        String password = PASSWORDS.get(credentials.customer());
        if (password == null
                || !MessageDigest.isEqual(
                        password.getBytes(UTF_8), credentials.password().getBytes(UTF_8))) {
            return Reply.refusal(HttpStatus.UNAUTHORIZED_401, "wrong name or password");
        }
        if (credentials.customer().equals(LOCKED_OUT)) {
            return Reply.refusal(HttpStatus.FORBIDDEN_403, "locked out");
        }
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        remember(token, credentials.customer());
        return Reply.ok(new Token(token));
    }

    private synchronized void remember(String token, String customer) {
        if (customersByToken.size() == MOST_TOKENS) {
            customersByToken.remove(customersByToken.keySet().iterator().next());
        }
        customersByToken.put(token, customer);
    }

    private synchronized Reply check(@Nullable Token token) {
        String customer = token == null ? null : customersByToken.get(token.token());
        return customer == null
                ? Reply.refusal(HttpStatus.UNAUTHORIZED_401, "no such token")
                : Reply.ok(new Customer(customer));
    }
}
