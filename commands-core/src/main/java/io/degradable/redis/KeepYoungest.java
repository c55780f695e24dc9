package io.degradable.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.annotation.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Keeps an envelope unless a younger one is there: one comparison inside of Redis, so that of writers on several machines
 * the youngest copy wins, in whatever order they come. It touches one key, so it runs in a cluster.
 *
 * <p>Kept out is also a copy of the moment of an invalidation, and whatever comes to where a newer version of this library
 * has written. Everything else that lies there is garbage, and is overwritten: what is no string, what has no magic, what is
 * shorter than it says.
 */
final class KeepYoungest {

    /**
     * Positions are those of {@link Envelope}, counted from 1. Stamps are compared as two numbers: Lua has doubles only,
     * which are too coarse for nanoseconds since 1970, and its comparison of strings goes by the locale. The reply ends with
     * the checksum, so that it is known to be the reply to this and to no other envelope.
     */
    private static final String TEXT = """
            local new = ARGV[1]
            local held = redis.pcall('GET', KEYS[1])
            local keep = true
            if type(held) == 'string' and #held >= 5 and string.sub(held, 1, 4) == string.sub(new, 1, 4) then
              local theirs, ours = string.byte(held, 5), string.byte(new, 5)
              if theirs > ours then
                keep = false
              elseif theirs == ours and #held >= 18 and struct.unpack('>I4', held, 15) == #held then
                local heldHigh, heldLow = struct.unpack('>i4I4', held, 7)
                local high, low = struct.unpack('>i4I4', new, 7)
                if heldHigh ~= high then
                  keep = heldHigh < high
                elseif heldLow ~= low then
                  keep = heldLow < low
                else
                  keep = string.byte(held, 6) <= string.byte(new, 6)
                end
              end
            end
            if keep then
              redis.call('SET', KEYS[1], new, 'PX', ARGV[2])
            end
            return (keep and '1' or '0') .. string.sub(new, -4)
            """;

    private static final byte[] SCRIPT = TEXT.getBytes(US_ASCII);
    private static final byte[] DIGEST = digest(SCRIPT);
    private static final byte KEPT = '1';

    private KeepYoungest() {}

    /**
     * Offers an envelope.
     *
     * @param expiryMillis 1 or more
     * @return whether it was kept
     */
    static boolean offer(UnifiedJedis client, byte[] key, byte[] sealed, long expiryMillis)
            throws InterruptedException {
        byte[] reply;
        try {
            reply = run(client, Command.EVALSHA, DIGEST, key, sealed, expiryMillis);
        } catch (JedisNoScriptException forgotten) { // a restart, another node, SCRIPT FLUSH
            reply = run(client, Command.EVAL, SCRIPT, key, sealed, expiryMillis);
        }
        if (reply == null || !answers(reply, sealed)) {
            throw new JedisConnectionException("the reply to another request, so nobody knows whether this was kept");
        }
        return reply[0] == KEPT;
    }

    private static @Nullable byte[] run(
            UnifiedJedis client, Command command, byte[] script, byte[] key, byte[] sealed, long expiryMillis)
            throws InterruptedException {
        CommandArguments request = new CommandArguments(command)
                .add(script)
                .add(1)
                .key(key)
                .add(sealed)
                .add(expiryMillis);
        return Exchange.ask(client, request, reply -> answers(reply, sealed));
    }

    private static boolean answers(byte[] reply, byte[] sealed) {
        byte[] checksum = Envelope.checksumIn(sealed);
        return reply.length == 1 + checksum.length
                && Arrays.equals(reply, 1, reply.length, checksum, 0, checksum.length);
    }

    private static byte[] digest(byte[] script) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(script))
                    .getBytes(US_ASCII);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-1", impossible);
        }
    }
}
