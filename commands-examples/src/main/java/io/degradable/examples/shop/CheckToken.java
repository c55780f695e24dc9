package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.AccountService;
import java.time.Duration;

/** Whose a token is. Nothing stands in for the accounts service, no copy either: the token may have been withdrawn. */
final class CheckToken extends DegradableCommand<String> {

    static final CommandSpec<CheckToken, String> SPEC = CommandSpec.of(CheckToken.class)
            .group("accounts")
            .core()
            .threadPool(pool -> pool.named("accounts").size(10).queue(5))
            .timeout(Duration.ofSeconds(1))
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(5))
            .failClosed()
            .build();

    private final AccountService accounts;
    private final String token;

    CheckToken(AccountService accounts, String token) {
        super(SPEC);
        this.accounts = accounts;
        this.token = token;
    }

    @Override
    protected String run() throws Exception {
        return accounts.customerOf(token);
    }
}
