package io.degradable.bench;

import io.degradable.BreakerSpec;
import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.DegradableCommand;
import io.degradable.cache.CacheSpec;
import io.degradable.event.CommandEvent;
import io.degradable.micrometer.DegradableMeters;
import io.degradable.model.BadRequestException;
import io.degradable.model.CallOutcome;
import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.state.Circuit;
import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.template.StaticTemplate;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The load of the soak: callers at a bounded rate on every way through the library, somebody who looks at all there is to see,
 * and a hand that holds breakers and resizes bulkheads. Each call is booked by who made it, as he saw it end.
 *
 * <p>Threading: {@link #begin} and {@link #end} belong to one thread; what is counted may be read by any.
 */
final class SoakLoad {

    /** In the names of its threads, but for those of pools. */
    static final String NAME = "soak";

    private static final int CALLERS = 8;
    private static final long BETWEEN_CALLS_NANOS = TimeUnit.MICROSECONDS.toNanos(2_500);
    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BETWEEN_HANDS_NANOS = TimeUnit.MILLISECONDS.toNanos(1_700);
    private static final long JOIN_MILLIS = 10_000;
    private static final int KEYS = 500;

    private static final Duration TIMEOUT = Duration.ofMillis(40);
    private static final Duration IDLE = Duration.ofSeconds(8);

    /** Calls of a made-up name before the next is made up: too few for its breaker, which must be closed for it to go. */
    private static final int CALLS_OF_A_NAME = 15;

    private static final StaticTemplate<String> TEMPLATE = StaticTemplate.of("nothing", "nothing for now");
    private static final CacheSpec<String, String> COPIES =
            CacheSpec.<String, String>named("copies").maximumSize(200);

    /** Commands whose breakers are held now and then. */
    private static final List<String> HELD = List.of("semaphore", "chain", "replica", "retried");

    /** A way through the library. Returns when the call has ended, or is on its way. */
    private interface Way {
        void call(String key);
    }

    // What came of the calls: by those who made them, by the listener, and by the library for names that are gone.
    final SoakCounts seen = new SoakCounts();
    final SoakCounts heard = new SoakCounts();
    private final SoakCounts ofGone = new SoakCounts();

    /** Calls of the group {@code left} whose end nobody waited for. */
    final LongAdder left = new LongAdder();

    final AtomicReference<String> surprise = new AtomicReference<>();

    final CountedAlarms alarms = new CountedAlarms();
    /** With a listener, so that a run of it is a whole run. */
    final Commands commands;

    /** With nobody who follows runs, so that they go by lanes. */
    private final Commands unfollowed;

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final SoakBackend backend = new SoakBackend(TIMEOUT.toNanos());
    private final DegradableMeters binding;
    private final AtomicInteger madeUp = new AtomicInteger();

    private final List<Thread> threads = new ArrayList<>();
    private final List<Circuit> held = new ArrayList<>(); // by the hand only
    private volatile boolean ending;

    private final CommandSpec<CallableCommand<String>, String> inner =
            spec("inner").semaphore(6).build();
    private final CommandSpec<CallableCommand<String>, String> replica =
            spec("replica").threadPool(pool -> pool.named("replica").size(3)).build();

    SoakLoad() {
        commands = Commands.builder()
                .name(NAME)
                .ticker(alarms)
                .evictIdleAfter(IDLE)
                .eventQueue(1 << 16)
                .listener(this::hear)
                .build();
        commands.watch(new CommandObserver() {
            @Override
            public void known(CommandView command) {}

            @Override
            public void gone(CommandView command) {
                ofGone.add(command);
            }
        });
        unfollowed = Commands.builder().name(NAME + "-lanes").ticker(alarms).build();
        binding = new DegradableMeters(commands);
        binding.bindTo(meters);
    }

    private void hear(CommandEvent event) {
        if (event instanceof CommandEvent.CallEnded ended) {
            heard.add(ended.command().group(), ended.outcome());
        }
    }

    // ---- its threads ----

    void begin() {
        List<Way> ways = ways();
        for (int caller = 0; caller < CALLERS; caller++) {
            every(BETWEEN_CALLS_NANOS, "caller-" + caller, () -> {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                ways.get(random.nextInt(ways.size())).call("key-" + random.nextInt(KEYS));
            });
        }
        every(BETWEEN_LOOKS_NANOS, "looks", this::look);
        every(BETWEEN_HANDS_NANOS, "hand", this::layHandOn);
    }

    /** Does something at a rate. Who is late by more than a second does not make up for it. */
    private void every(long nanos, String name, Runnable turn) {
        Thread thread = new Thread(
                () -> {
                    long next = System.nanoTime();
                    while (!ending) {
                        try {
                            turn.run();
                        } catch (Throwable unexpected) {
                            surprise.compareAndSet(null, name + ": " + unexpected);
                        }
                        long now = System.nanoTime();
                        next = Math.max(next - now, -BETWEEN_LOOKS_NANOS) + now + nanos;
                        while (!ending && next - System.nanoTime() > 0) {
                            LockSupport.parkNanos(next - System.nanoTime());
                        }
                    }
                },
                "load-" + name);
        threads.add(thread);
        thread.start();
    }

    /** Ends the load, not the container. Says whether all of its threads have ended. */
    boolean end() throws InterruptedException {
        ending = true;
        backend.release();
        boolean ended = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            thread.join(JOIN_MILLIS);
            ended &= !thread.isAlive();
        }
        return ended;
    }

    void close() {
        commands.close();
        unfollowed.close();
        binding.close();
        meters.close();
    }

    /** The commands of all containers. */
    List<CommandView> known() {
        List<CommandView> known = new ArrayList<>(commands.commands());
        known.addAll(unfollowed.commands());
        return known;
    }

    /** What the library has counted, names that are gone included. Exact once the load has ended. */
    SoakCounts counted() {
        SoakCounts counted = countedAndFollowed();
        unfollowed.commands().forEach(counted::add);
        return counted;
    }

    /** Of that, what the listener is to hear of. */
    SoakCounts countedAndFollowed() {
        SoakCounts counted = new SoakCounts();
        commands.commands().forEach(counted::add); // which may let names go, so it comes first
        counted.add(ofGone);
        return counted;
    }

    // ---- its calls ----

    private List<Way> ways() {
        CommandSpec<CallableCommand<String>, String> semaphore = spec("semaphore")
                .semaphore(4)
                .fallback(chain -> chain.template(TEMPLATE))
                .build();
        CommandSpec<CallableCommand<String>, String> chain = spec("chain")
                .threadPool(pool -> pool.named("chain").size(5).queue(3))
                .fallback(stages -> stages.within(Duration.ofMillis(100))
                        .spare(replica, command -> callable(replica, command.key(), this::ask))
                        .spareCall("second", (command, context) -> ask())
                        .cached(COPIES, CallableCommand::key, Duration.ofSeconds(5))
                        .template(TEMPLATE))
                .build();
        CommandSpec<CallableCommand<String>, String> callers = spec("callers")
                .threadPool(pool -> pool.named("callers").size(1).callerRuns(2))
                .build();
        CommandSpec<CallableCommand<String>, String> retried = spec("retried")
                .threadPool(pool -> pool.named("retried").size(4).queue(2))
                .repeatable()
                .retry(retry -> retry.backoff(Duration.ofMillis(1), Duration.ofMillis(4))
                        .budget(50, 20))
                .build();
        CommandSpec<CallableCommand<String>, String> results = spec("results")
                .threadPool(pool -> pool.named("retried").size(4).queue(2))
                .fallback(stages -> stages.cached(COPIES, CallableCommand::key, Duration.ofSeconds(5))
                        .template(TEMPLATE))
                .build();
        CommandSpec<CallableCommand<String>, String> outer = spec("outer")
                .threadPool(pool -> pool.named("outer").size(3).queue(3))
                .timeout(TIMEOUT.multipliedBy(2))
                .build();
        CommandSpec<CallableCommand<String>, String> abandoned = spec("left")
                .threadPool(pool -> pool.named("left").size(3))
                .fallback(stages -> stages.template(TEMPLATE))
                .build();
        CommandSpec<CallableCommand<String>, String> lane =
                spec("lane").semaphore(20).build();
        CommandSpec<CallableCommand<String>, String> laneChain = spec("lane-chain")
                .semaphore(4)
                .fallback(stages -> stages.cached(COPIES, CallableCommand::key, Duration.ofSeconds(5))
                        .template(TEMPLATE))
                .build();
        unfollowed.register(lane, laneChain);
        commands.register(inner, replica, semaphore, chain, callers, retried, results, outer, abandoned);
        List<Way> ways = new ArrayList<>(List.of(
                key -> wait(semaphore, key, this::askBriefly),
                key -> wait(chain, key, this::ask),
                key -> wait(replica, key, this::ask),
                key -> wait(callers, key, this::askBriefly),
                key -> wait(retried, key, this::ask),
                key -> queue(retried, key),
                key -> subscribe(retried, key),
                key -> queueForResult(results, key),
                key -> subscribeForResult(results, key),
                key -> wait(outer, key, () -> nest(outer, key)),
                key -> leaveFuture(abandoned, key),
                key -> leaveMaybe(abandoned, key),
                key -> wait(new CallableCommand<>(unfollowed, lane, key, this::askBriefly)),
                key -> wait(new CallableCommand<>(unfollowed, laneChain, key, this::askBriefly)),
                this::callMadeUp));
        if (Runtime.version().feature() >= 21) {
            CommandSpec<CallableCommand<String>, String> virtual =
                    spec("virtual").virtualThreads(4).build();
            ways.add(key -> wait(virtual, key, this::ask));
        }
        return ways;
    }

    private static CommandSpec.Builder<CallableCommand<String>, String> spec(String name) {
        return CommandSpec.<String>callable(name).group(name).timeout(TIMEOUT).circuitBreaker(SoakLoad::movesOften);
    }

    private static void movesOften(BreakerSpec breaker) {
        breaker.window(Duration.ofSeconds(2))
                .sleepWindow(Duration.ofMillis(300))
                .maxSleepWindow(Duration.ofSeconds(1))
                .ramp(5, 25, 50);
    }

    private String ask() throws Exception {
        return backend.ask(Long.MAX_VALUE);
    }

    /** For bodies that may run on their caller's thread, where no limit ends them. */
    private String askBriefly() throws Exception {
        return backend.ask(TIMEOUT.toNanos() * 3 / 2);
    }

    private CallableCommand<String> callable(
            CommandSpec<CallableCommand<String>, String> spec, String key, Callable<String> body) {
        return new CallableCommand<>(commands, spec, key, body);
    }

    private void wait(CommandSpec<CallableCommand<String>, String> spec, String key, Callable<String> body) {
        wait(callable(spec, key, body));
    }

    private void wait(DegradableCommand<String> command) {
        try {
            waitFor(command);
        } catch (RuntimeException booked) {
            // It is one of the outcomes.
        }
    }

    /** The answer of a command, however it is asked for; the call is booked. */
    private String waitFor(DegradableCommand<String> command) {
        String group = Commands.specOf(command).settings().key().group();
        boolean hasChain = !Commands.specOf(command).settings().stages().isEmpty();
        try {
            if (hasChain || ThreadLocalRandom.current().nextBoolean()) {
                CommandResult<String> result = command.executeForResult();
                seen.add(group, outcome(result));
                return result.value();
            }
            String answer = command.execute();
            seen.add(group, CallOutcome.NORMAL);
            return answer;
        } catch (RuntimeException failure) {
            seen.add(group, outcome(failure));
            throw failure;
        }
    }

    /** A body that calls a command on its own thread, and one that has the same pool. */
    private String nest(CommandSpec<CallableCommand<String>, String> outer, String key) throws Exception {
        String one = waitFor(callable(inner, key, this::askBriefly));
        return key.endsWith("0") ? one + waitFor(callable(outer, "deeper", this::ask)) : one;
    }

    private void callMadeUp(String key) {
        String name = "made-up-" + madeUp.getAndIncrement() / CALLS_OF_A_NAME;
        wait(spec(name).group("made-up").semaphore(20).build(), key, this::askBriefly);
    }

    private void queue(CommandSpec<CallableCommand<String>, String> spec, String key) {
        var unused = callable(spec, key, this::ask)
                .queue()
                .whenComplete((answer, failure) ->
                        seen.add(spec.name(), failure == null ? CallOutcome.NORMAL : outcome(failure)));
    }

    private void queueForResult(CommandSpec<CallableCommand<String>, String> spec, String key) {
        var unused = callable(spec, key, this::ask)
                .queueForResult()
                .whenComplete((result, failure) ->
                        seen.add(spec.name(), failure == null ? outcome(result) : outcome(failure)));
    }

    private void subscribe(CommandSpec<CallableCommand<String>, String> spec, String key) {
        var unused = callable(spec, key, this::ask)
                .toMaybe()
                .subscribe(
                        answer -> seen.add(spec.name(), CallOutcome.NORMAL),
                        failure -> seen.add(spec.name(), outcome(failure)));
    }

    private void subscribeForResult(CommandSpec<CallableCommand<String>, String> spec, String key) {
        var unused = callable(spec, key, this::ask)
                .toResultSingle()
                .subscribe(
                        result -> seen.add(spec.name(), outcome(result)),
                        failure -> seen.add(spec.name(), outcome(failure)));
    }

    /** Cancelled at once, or after a moment that is mostly long enough. */
    private void leaveFuture(CommandSpec<CallableCommand<String>, String> spec, String key) {
        var future = callable(spec, key, this::ask).queueForResult();
        var unused = future.whenComplete((result, failure) -> {
            CallOutcome outcome = failure == null ? outcome(result) : outcome(failure);
            if (outcome == CallOutcome.CANCELLED) {
                left.increment(); // it may have been answered at the same moment
            } else {
                seen.add(spec.name(), outcome);
            }
        });
        if (key.endsWith("0")) {
            future.cancel(true);
        } else {
            var late = future.orTimeout(TIMEOUT.toMillis() / 8, TimeUnit.MILLISECONDS);
        }
    }

    private void leaveMaybe(CommandSpec<CallableCommand<String>, String> spec, String key) {
        AtomicBoolean open = new AtomicBoolean(true);
        Disposable subscribed = callable(spec, key, this::ask)
                .toResultSingle()
                .subscribe(
                        result -> {
                            if (open.getAndSet(false)) {
                                seen.add(spec.name(), outcome(result));
                            }
                        },
                        failure -> {
                            if (open.getAndSet(false)) {
                                seen.add(spec.name(), outcome(failure));
                            }
                        });
        Thread.yield();
        subscribed.dispose();
        if (open.getAndSet(false)) {
            left.increment();
        }
    }

    private static CallOutcome outcome(CommandResult<String> result) {
        return result.degraded() ? CallOutcome.DEGRADED : CallOutcome.NORMAL;
    }

    /** How a call ended, by what its caller got to see. */
    private CallOutcome outcome(Throwable failure) {
        Throwable told = failure instanceof CompletionException ? failure.getCause() : failure;
        if (told instanceof CommandException ended) {
            return ended.outcome();
        }
        if (told instanceof BadRequestException) {
            return CallOutcome.BAD_REQUEST;
        }
        if (!(told instanceof CancellationException || told instanceof TimeoutException)) {
            surprise.compareAndSet(null, "a caller saw " + told);
        }
        return CallOutcome.CANCELLED;
    }

    // ---- who looks, and who lays a hand on it ----

    private void look() {
        for (CommandView command : known()) {
            command.recentEvents();
            command.stages().forEach(stage -> {
                stage.recentLatency().percentile(99);
                stage.circuit();
            });
        }
        commands.pools().forEach(pool -> pool.active());
        commands.caches().forEach(cache -> cache.size());
        meters.getMeters().forEach(meter -> meter.measure().forEach(measured -> measured.getValue()));
    }

    /** Never for longer than until the next turn, so that no part of the soak differs from the others. */
    private void layHandOn() {
        held.forEach(circuit -> circuit.release(NAME));
        held.clear();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        switch (random.nextInt(5)) {
            case 0 -> commands.resizePool("chain", 2 + random.nextInt(8), random.nextInt(6));
            case 1 -> commands.resizePool("retried", 2 + random.nextInt(6), random.nextInt(4));
            case 2 -> commands.resize("semaphore", 1 + random.nextInt(8));
            default -> hold(commands.circuit(HELD.get(random.nextInt(HELD.size()))), random.nextBoolean());
        }
    }

    private void hold(Circuit circuit, boolean open) {
        if (open) {
            circuit.forceOpen(NAME);
        } else {
            circuit.forceClosed(NAME);
        }
        held.add(circuit);
    }
}
