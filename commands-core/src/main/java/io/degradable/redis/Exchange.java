package io.degradable.redis;

import java.util.function.Predicate;
import javax.annotation.Nullable;
import redis.clients.jedis.Builder;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One request and its reply. Jedis closes a connection on which reading or writing went wrong. What it cannot see is a reply
 * that is well formed and belongs to another request, from which moment on every reply of that connection does. So the reply
 * is looked at while the connection is still held, and one that cannot be the answer ends the connection: it does not go
 * back into the pool.
 *
 * <p>Threading: one object for one request, used by the thread that asks.
 */
final class Exchange extends Builder<byte[]> {

    private final Predicate<byte[]> answers;
    private @Nullable Connection connection;

    /** A request for bytes, of which {@code answers} says whether they can be the reply to it. */
    private Exchange(Predicate<byte[]> answers) {
        this.answers = answers;
    }

    /**
     * Asks, and returns the reply, even one that is not an answer: who asked tells it apart.
     *
     * @return null when Redis has nothing
     */
    static @Nullable byte[] ask(UnifiedJedis client, CommandArguments request, Predicate<byte[]> answers)
            throws InterruptedException {
        Exchange exchange = new Exchange(answers);
        try {
            return client.executeCommand(
                    new CommandObject<>(request, exchange).withPreProcessHook(used -> exchange.connection = used));
        } catch (JedisException failed) {
            if (failed.getCause() instanceof InterruptedException interrupted) {
                throw interrupted; // while waiting for a connection; as it is, so that nobody takes it for a failure of
                // Redis
            }
            throw failed;
        } catch (OutOfMemoryError | StackOverflowError tooLarge) {
            // Jedis believes any length and any depth. Nonsense on the wire is a failure of Redis, not of the
            // application.
            throw new JedisConnectionException("a reply larger than there is room for", tooLarge);
        }
    }

    @Override
    public @Nullable byte[] build(@Nullable Object reply) {
        if (reply == null) {
            return null;
        }
        if (!(reply instanceof byte[] bytes)) {
            end();
            throw new JedisConnectionException("a reply of another kind than was asked for: "
                    + reply.getClass().getSimpleName());
        }
        if (!answers.test(bytes)) {
            end();
        }
        return bytes;
    }

    private void end() {
        if (connection != null) {
            connection.setBroken();
        }
    }
}
