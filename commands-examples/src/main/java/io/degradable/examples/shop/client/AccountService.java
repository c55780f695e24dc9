package io.degradable.examples.shop.client;

/**
 * Where it is known who somebody is.
 *
 * <p>Threading: blocks until there is an answer or the thread is interrupted.
 */
public interface AccountService {
    /**
     * A token for a customer who gives the right password.
     *
     * @throws DeniedException when the answer is no, which is an answer and not a failure
     */
    String login(String customer, String password) throws Exception;

    /**
     * The customer to whom a token was given.
     *
     * @throws DeniedException when the token is none of ours
     */
    String customerOf(String token) throws Exception;
}
