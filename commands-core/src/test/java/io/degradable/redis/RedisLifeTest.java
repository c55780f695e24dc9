package io.degradable.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.cache.CacheSpec;
import io.degradable.cache.Codec;
import io.degradable.model.CommandResult;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.template.StaticTemplate;
import io.degradable.testing.Caller;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

/**
 * S1, S5: writers, readers, outages, invalidations and clocks that are set, over a real Redis. Every answer says when it was
 * true, on the one clock that nobody sets. {@code -Ddegradable.seconds=60} makes it a minute.
 */
@Timeout(600)
final class RedisLifeTest {

    private static final long SECONDS = Long.getLong("degradable.seconds", 8);
    private static final Duration WINDOW = Duration.ofMillis(400);
    private static final long SLACK_NANOS = 1_000_000; // of one clock beside another

    private static final CacheSpec<String, String> COPIES = CacheSpec.<String, String>named("copies")
            .maximumSize(20)
            .stored(Codec.strings(), Codec.strings())
            .nearFor(Duration.ofMillis(60));

    /** Alike where a careless mind would take one for another. */
    private static final String[] KEYS = {
        "1", "11", "1:1", "1 1", "{1}1", "1{1}", "copies:1", "\u00e4", "a\u0308", "", "\n", "\0"
    };

    private static final CommandSpec<CallableCommand<String>, String> SPEC = CommandSpec.<String>callable("GetProduct")
            .group("catalog")
            .semaphore(50)
            .noCircuitBreaker()
            .fallback(chain -> chain.cached(
                            COPIES,
                            CallableCommand::key,
                            WINDOW,
                            stage -> stage.timeout(Duration.ofMillis(30))
                                    .circuitBreaker(breaker -> breaker.sleepWindow(Duration.ofMillis(50))))
                    .template(StaticTemplate.of("unknown", "unknown")))
            .build();

    /** A clock that can be set. */
    private static final class SteppedTicker implements Ticker {

        private final Ticker real = Ticker.system();
        private final AtomicLong aheadNanos = new AtomicLong();

        @Override
        public long nanos() {
            return real.nanos();
        }

        @Override
        public long epochMillis() {
            return epochNanos() / 1_000_000;
        }

        @Override
        public long epochNanos() {
            return real.epochNanos() + aheadNanos.get();
        }

        @Override
        public void await(Object blocker, long untilNanos) {
            real.await(blocker, untilNanos);
        }

        @Override
        public Timer newTimer(String name) {
            return real.newTimer(name);
        }
    }

    /** One process of several that share a Redis. */
    private final class Instance implements AutoCloseable {

        private final SteppedTicker ticker = new SteppedTicker();
        private final RedisClient client = RedisClient.builder()
                .hostAndPort(proxy.address())
                .clientConfig(RedisCaches.clientConfig(Duration.ofMillis(100)).build())
                .poolConfig(RedisCaches.poolConfig(12, Duration.ofMillis(100)))
                .build();
        private final Commands commands = Commands.builder()
                .ticker(ticker)
                .caches(RedisCaches.over(client))
                .build();

        /** Before which moment nothing of a key may be from, here. */
        private final Map<String, Long> invalidated = new ConcurrentHashMap<>();

        void call(Random random) {
            String key = KEYS[random.nextInt(KEYS.length)];
            boolean up = random.nextInt(5) == 0;
            Long barrier = invalidated.get(key);
            long start = System.nanoTime();
            CommandResult<String> result = new CallableCommand<>(commands, SPEC, key, () -> {
                        long born = System.nanoTime();
                        if (!up) {
                            throw new IOException("down");
                        }
                        return key + "|" + born;
                    })
                    .executeForResult();
            if (result.source() == Source.CACHE) {
                judge(key, result, start, barrier);
            } else {
                (result.source() == Source.STATIC ? unknown : answered).increment();
            }
        }

        private void judge(String key, CommandResult<String> result, long start, @Nullable Long barrier) {
            String value = String.valueOf(result.value());
            int bar = value.lastIndexOf('|');
            long born = Long.parseLong(value.substring(bar + 1));
            long age = start - born;
            copies.increment();
            if (!value.substring(0, bar).equals(key)) {
                wrong.add("under \"" + key + "\" came " + value);
            }
            if (age > WINDOW.toNanos() + SLACK_NANOS) {
                wrong.add("a copy of " + age + " ns came from " + result.trail());
            }
            if (result.age().orElseThrow().toNanos() < age - SLACK_NANOS) {
                wrong.add("a copy of " + age + " ns said it was " + result.age());
            }
            if (barrier != null && born - barrier < 0) {
                wrong.add("a copy from before its invalidation came from " + result.trail());
            }
        }

        void invalidate(Random random) {
            String key = KEYS[random.nextInt(KEYS.length)];
            long now = System.nanoTime();
            commands.cache(COPIES).invalidate(key);
            invalidated.merge(key, now, Math::max);
        }

        @Override
        public void close() {
            commands.close();
            client.close();
        }
    }

    private final RedisServer server = RedisServer.start();
    private final Proxy proxy = new Proxy(server.address());
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final LongAdder answered = new LongAdder();
    private final LongAdder copies = new LongAdder();
    private final LongAdder unknown = new LongAdder();

    @Test
    void nothing_is_served_beyond_its_window_or_under_another_key() throws Exception {
        long until = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        List<Instance> instances = List.of(new Instance(), new Instance(), new Instance());
        List<Caller<Boolean>> callers = new ArrayList<>();
        for (Instance instance : instances) {
            for (int caller = 0; caller < 3; caller++) {
                callers.add(Caller.calls(() -> {
                    while (until - System.nanoTime() > 0 && wrong.isEmpty()) {
                        instance.call(ThreadLocalRandom.current());
                        LockSupport.parkNanos(200_000);
                    }
                    return true;
                }));
            }
        }
        Random random = new Random();
        int troubles = 0;
        while (until - System.nanoTime() > 0 && wrong.isEmpty()) {
            trouble(random, instances.get(random.nextInt(instances.size())));
            troubles++;
        }
        callers.forEach(Caller::result);
        long fromStore = instances.stream()
                .mapToLong(instance -> instance.commands
                        .commands()
                        .iterator()
                        .next()
                        .stages()
                        .get(2)
                        .ended(StageReason.ANSWER))
                .sum();
        for (Instance instance : instances) {
            instance.close();
        }
        proxy.close();
        server.close();

        assertThat(wrong).isEmpty();
        assertThat(copies.sum()).isGreaterThan(100);
        assertThat(fromStore).as("of them from the store").isPositive();
        assertThat(unknown.sum()).isPositive();
        assertThat(answered.sum()).isPositive();
        assertThat(troubles).isPositive();
    }

    private void trouble(Random random, Instance instance) {
        long millis = 50L + random.nextInt(250);
        switch (random.nextInt(8)) {
            case 0 -> {
                server.freeze();
                pause(millis);
                server.thaw();
            }
            case 1 -> {
                server.kill();
                pause(millis);
                server.restart();
            }
            case 2 -> {
                proxy.set(
                        random.nextBoolean()
                                ? Proxy.repeats()
                                : Proxy.spoils(random.nextInt(80), 1 << random.nextInt(8)));
                pause(millis);
                proxy.set(Proxy.passes());
            }
            case 3 -> {
                proxy.set(random.nextBoolean() ? Proxy.cutsAfter(random.nextInt(60)) : Proxy.delays(40));
                pause(millis);
                proxy.set(Proxy.passes());
            }
            case 4, 5 -> {
                instance.ticker.aheadNanos.addAndGet((random.nextInt(4_000) - 2_000) * 1_000_000L);
                pause(millis);
            }
            default -> {
                instance.invalidate(random);
                pause(millis / 4);
            }
        }
    }

    private static void pause(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (until - System.nanoTime() > 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
