package io.degradable.redis;

import io.degradable.control.OverrideStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import redis.clients.jedis.UnifiedJedis;

/**
 * Keeps what was set by hand in Redis, so that it survives a restart and reaches every instance: in one hash {@code
 * <prefix>switches}, whose fields are the targets and whose values are a stamp, a space and the text. The same name is that
 * of the channel on which changes are announced.
 *
 * <pre>{@code
 * Commands commands = Commands.builder().switches(RedisSwitches.over(client)).build();
 * }</pre>
 *
 * <p>A value that is not of this form is nobody's: {@link #load} passes over it, and {@link #save} overwrites it.
 *
 * <p>The client is the application's, which closes it after the container: a {@code RedisClient}, {@code
 * RedisSentinelClient} or {@code RedisClusterClient}. Each {@link #watch} has a connection of its own beside the client's
 * pool, and two daemon threads.
 *
 * <p>Threading: immutable; every method may be called from any thread.
 */
public final class RedisSwitches implements OverrideStore {

    /** What keys in Redis begin with unless something else is said. */
    public static final String DEFAULT_KEY_PREFIX = RedisCaches.DEFAULT_KEY_PREFIX;

    /**
     * Keeps the later of two stamps, and of equal ones the greater text, as {@link String#compareTo} says: Lua compares by
     * the locale. Bytes of UTF-8 go in the order of code points, and Java's characters do but for those above 65,535, which
     * begin with 240 or more here and are two surrogates there: below 238, where the last of the plain ones begin.
     */
    private static final String KEEP_LATEST = """
            local function rank(byte)
              return byte >= 240 and 237 + (byte - 239) / 100 or byte
            end
            local function greater(one, other)
              for i = 1, math.min(#one, #other) do
                local a, b = string.byte(one, i), string.byte(other, i)
                if a ~= b then
                  return rank(a) > rank(b)
                end
              end
              return #one > #other
            end
            local kept = 0
            for i = 2, #ARGV, 3 do
              local target, stamp, text = ARGV[i], ARGV[i + 1], ARGV[i + 2]
              local held = redis.call('HGET', KEYS[1], target)
              local heldStamp, heldText
              if held then
                heldStamp, heldText = string.match(held, '^(%-?%d+) (.*)$')
              end
              local before, now = tonumber(heldStamp or ''), tonumber(stamp)
              if not before or now > before or (now == before and greater(text, heldText)) then
                redis.call('HSET', KEYS[1], target, stamp .. ' ' .. text)
                kept = kept + 1
              end
            end
            if kept > 0 then
              redis.call('PUBLISH', KEYS[1], kept)
            end
            return ARGV[1]
            """;

    private final SharedHash hash;

    private RedisSwitches(UnifiedJedis client, String keyPrefix) {
        this.hash = new SharedHash(client, keyPrefix + "switches");
    }

    /**
     * Over a client of the application, which it closes itself, after the container.
     *
     * @throws IllegalArgumentException when it is none of a single server, Sentinel or a cluster
     */
    public static RedisSwitches over(UnifiedJedis client) {
        return new RedisSwitches(client, DEFAULT_KEY_PREFIX);
    }

    /** The same with another key: applications that share one Redis, and not their switches, have a prefix each. */
    public RedisSwitches keyPrefix(String prefix) {
        return new RedisSwitches(hash.client(), Objects.requireNonNull(prefix, "keyPrefix must not be null"));
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Map<String, Entry> load() throws Exception {
        Map<String, Entry> entries = new LinkedHashMap<>();
        hash.read().forEach((target, value) -> {
            int space = value.indexOf(' ');
            try {
                entries.put(
                        target,
                        new Entry(Long.parseLong(value, 0, Math.max(0, space), 10), value.substring(space + 1)));
            } catch (NumberFormatException nobodys) {
                // Somebody else's, or put in by hand in another form: see above.
            }
        });
        return entries;
    }

    /**
     * {@inheritDoc}
     *
     * <p>One script does it, so either all are looked at or none. Stamps are compared as numbers of Lua, which are exact up to
     * 2<sup>53</sup>.
     */
    @Override
    public void save(Map<String, Entry> entries) throws Exception {
        List<String> arguments = new ArrayList<>();
        entries.forEach((target, entry) -> {
            arguments.add(target);
            arguments.add(Long.toString(entry.stamp()));
            arguments.add(entry.text());
        });
        if (!arguments.isEmpty()) {
            hash.run(KEEP_LATEST, arguments);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>It calls for the first time as soon as Redis can be reached. When it cannot it tries again for ever, after 0.1 s and
     * then more and more seldom, up to 5 s; that a server is gone without a word is noticed after 6 s at most.
     */
    @Override
    public AutoCloseable watch(Runnable changed) {
        Objects.requireNonNull(changed, "changed must not be null");
        // Who shares nothing any more finds out by loading and saving, which fail; there is nobody to tell it to here.
        return hash.watch(changed, lost -> {});
    }
}
