package io.degradable;

import io.degradable.cache.CacheSpec;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/** A command of a random life: a random guard and a chain of random shape. */
final class RandomCommand {

    /** Bodies of one bulkhead, as the bodies themselves count them. */
    static final class Gate {

        final String name;
        final @Nullable Pool pool;
        private final int most;
        private final Map<Thread, Integer> depths = new ConcurrentHashMap<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger peak = new AtomicInteger();

        Gate(String name, @Nullable Pool pool, int most) {
            this.name = name;
            this.pool = pool;
            this.most = most;
        }

        void enter() {
            // A run inside a body of its own pool is in the same worker and slot.
            if (depths.merge(Thread.currentThread(), 1, Integer::sum) == 1) {
                peak.accumulateAndGet(inside.incrementAndGet(), Math::max);
            }
        }

        void leave() {
            if (depths.merge(Thread.currentThread(), -1, Integer::sum) == 0) {
                depths.remove(Thread.currentThread());
                inside.decrementAndGet();
            }
        }

        int inside() {
            return inside.get();
        }

        boolean wasKept() {
            return peak.get() <= most;
        }

        @Override
        public String toString() {
            return name + ", most " + most + ", peak " + peak;
        }
    }

    /** Figures of a thread pool. It is resized to at most {@link #LARGEST} threads. */
    record Pool(String name, int size, int queue, boolean impatient, int callerRuns) {

        static Pool random(String name, Random random) {
            int queue = random.nextInt(4);
            return new Pool(
                    name,
                    1 + random.nextInt(LARGEST),
                    queue,
                    queue > 0 && random.nextInt(3) == 0,
                    random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0);
        }

        /** For bodies that last until their caller goes: nothing else ends them, and he is not in one himself. */
        Pool patient() {
            return new Pool(name, size, queue, false, 0);
        }

        void in(ThreadPoolSpec spec) {
            spec.named(name).size(size).queue(queue).callerRuns(callerRuns);
            if (impatient) {
                spec.queueTimeout(Duration.ofMillis(2));
            }
        }
    }

    /** The largest any limit of a pool or semaphore is set to. */
    static final int LARGEST = 4;

    private static final int BY_NOBODY = 0;
    private static final int OPEN = 1;
    private static final int CLOSED = 2;

    final String name;
    final Gate gate;
    final boolean onWorkers;
    final int limit;
    final boolean virtual;

    /** Whether all its callers are told source and trigger. */
    final boolean tellsAll;

    /** Whether callers go away at any moment: then they know that it ended, but not as what. */
    final boolean leavers;

    /** Whether it has no limits that could come before a caller goes away: then they do know. */
    final boolean patient;

    final boolean cached;
    final boolean spareIsCommand;
    final long deadlineNanos;
    private final Duration timeout;
    private final CommandSpec<RandomCall, String> spec;

    /** Who holds the breaker, as its lowest two bits, above a count of the changes. Written by the one hand. */
    volatile int hand;

    RandomCommand(String name, Random random, Gate gate, Kind kind, @Nullable RandomCommand spare, String prefix) {
        this.name = name;
        this.gate = gate;
        this.onWorkers = gate.pool != null || kind == Kind.VIRTUAL;
        this.virtual = kind == Kind.VIRTUAL;
        this.limit = kind == Kind.SEMAPHORE || kind == Kind.VIRTUAL ? 1 + random.nextInt(LARGEST) : 0;
        this.patient = kind == Kind.PATIENT;
        this.tellsAll = random.nextBoolean();
        this.leavers = !patient && random.nextBoolean();
        this.timeout = patient ? Duration.ofHours(1) : Duration.ofMillis(2 + random.nextInt(5));
        Duration budget = Duration.ofMillis(10 + random.nextInt(30));
        this.deadlineNanos = patient
                ? Duration.ofSeconds(20).toNanos()
                : timeout.plus(budget).toNanos();
        boolean fails = kind == Kind.FAIL_CLOSED;
        boolean bare = fails || kind == Kind.SPARE || random.nextInt(5) == 0;
        boolean spares = !bare && !patient && random.nextInt(4) > 0;
        this.spareIsCommand = spares && spare != null && random.nextBoolean();
        this.cached = !bare && random.nextInt(3) > 0;
        boolean template = !bare && (random.nextInt(3) > 0 || !(spares || cached));
        this.spec = spec(random, kind, budget, bare, spares, spareIsCommand ? spare : null, template, prefix);
    }

    /** What guards it. */
    enum Kind {
        POOL,
        SEMAPHORE,
        VIRTUAL,
        PATIENT,
        FAIL_CLOSED,
        SPARE
    }

    private CommandSpec<RandomCall, String> spec(
            Random random,
            Kind kind,
            Duration budget,
            boolean bare,
            boolean spares,
            @Nullable RandomCommand spare,
            boolean template,
            String prefix) {
        // A late success is rehearsed as well, and then the template of the call is filled twice.
        var builder =
                CommandSpec.of(RandomCall.class).name(name).group("random").rehearse(0);
        if (gate.pool != null) {
            builder.threadPool(gate.pool::in);
        } else if (kind == Kind.VIRTUAL) {
            builder.virtualThreads(limit);
        } else {
            builder.semaphore(limit);
        }
        builder.ignore(failure -> failure instanceof RandomCall.Ignored)
                .fatal(failure -> failure instanceof RandomCall.FatalByRule)
                .overloaded(failure -> failure instanceof UnsupportedOperationException);
        if (random.nextInt(3) == 0) {
            builder.fallbackOn(failure -> failure instanceof IOException);
        }
        if (patient) {
            builder.noTimeout().noCircuitBreaker();
        } else {
            builder.timeout(timeout)
                    .circuitBreaker(breaker -> breaker.requestVolumeThreshold(20 + random.nextInt(40))
                            .sleepWindow(Duration.ofMillis(2 + random.nextInt(10))));
        }
        if (kind == Kind.FAIL_CLOSED) {
            builder.failClosed();
        }
        if (!bare) {
            builder.fallback(start -> {
                Spares<RandomCall, String> chain = start.within(budget);
                if (spare != null) {
                    chain = chain.spare(spare.spec, call -> call.asSpare(spare));
                } else if (spares) {
                    int most = random.nextInt(3);
                    chain = chain.spareCall("second", RandomCall::spare, stage -> {
                        if (most > 0) {
                            stage.atMost(most);
                        }
                    });
                }
                Caches<RandomCall, String> rest = chain;
                if (cached) {
                    int freshMillis = 1 + random.nextInt(100);
                    int youngMillis = random.nextInt(3) == 0 ? 1 + random.nextInt(freshMillis) : 0;
                    rest = chain.cached(copies(prefix), RandomCall::key, Duration.ofMillis(freshMillis), stage -> {
                        if (youngMillis > 0) {
                            stage.beforePrimary(Duration.ofMillis(youngMillis));
                        }
                    });
                }
                return template ? rest.template(StaticTemplate.of("last", "x"), (last, call) -> call.fill()) : rest;
            });
        }
        return builder.build();
    }

    static CacheSpec<String, String> copies(String prefix) {
        return CacheSpec.<String, String>named(prefix + "copies").maximumSize(RandomLife.KEYS / 2);
    }

    CommandSpec<RandomCall, String> spec() {
        return spec;
    }

    long longerThanLimitNanos() {
        return timeout.toNanos() * 3 / 2;
    }

    // ---- the hand on its breaker; one thread ----

    void heldOpen() {
        hand = (hand & ~3) + 4 | OPEN;
    }

    void heldClosed() {
        hand = (hand & ~3) + 4 | CLOSED;
    }

    void letGo() {
        hand = (hand & ~3) + 4 | BY_NOBODY;
    }

    static boolean isHeldOpen(int hand) {
        return (hand & 3) == OPEN;
    }

    static boolean isHeldClosed(int hand) {
        return (hand & 3) == CLOSED;
    }
}
