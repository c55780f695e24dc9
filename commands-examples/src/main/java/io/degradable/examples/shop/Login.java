package io.degradable.examples.shop;

import io.degradable.CommandSpec;
import io.degradable.DegradableCommand;
import io.degradable.examples.shop.client.AccountService;
import java.time.Duration;

/** A token for a name and a password. Nothing stands in for the accounts service: no answer is never a yes. */
final class Login extends DegradableCommand<String> {

    static final CommandSpec<Login, String> SPEC = CommandSpec.of(Login.class)
            .group("accounts")
            .core()
            .threadPool(pool -> pool.named("accounts").size(10).queue(5))
            .timeout(Duration.ofSeconds(1))
            .circuitBreaker(breaker -> breaker.requestVolumeThreshold(5))
            .failClosed()
            .build();

    private final AccountService accounts;
    private final String customer;
    private final String password;

    Login(AccountService accounts, String customer, String password) {
        super(SPEC);
        this.accounts = accounts;
        this.customer = customer;
        this.password = password;
    }

    @Override
    protected String run() throws Exception {
        return accounts.login(customer, password);
    }
}
