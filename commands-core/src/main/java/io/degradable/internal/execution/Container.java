package io.degradable.internal.execution;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.LocalCache;
import io.degradable.cache.TimedCache;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.InlineBulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.ThreadPoolBulkhead;
import io.degradable.internal.bulkhead.VirtualThreadBulkhead;
import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Memory;
import io.degradable.internal.stage.Stage;
import io.degradable.model.Source;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Differences;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.StageSettings;
import io.degradable.state.CacheView;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Owns what commands run with: pools, breakers, caches, counts. Names are unique in it, and one name has one set of
 * settings.
 *
 * <p>Threading: every method may be called from any thread. Commands become known one after the other, under a lock in
 * which no code of the user runs.
 */
public final class Container {

    private record DeclaredCache(CacheSpec<?, ?> spec, TimedCache<?, ?> cache) {}

    private final String name;
    private final Ticker ticker;
    private final Duration closeGrace;
    private final Instant startedAt;
    private final Map<String, CommandRuntime<?, ?>> commands = new ConcurrentHashMap<>();
    private final Map<String, ThreadPoolBulkhead> pools = new LinkedHashMap<>(); // guarded by this
    private final Map<String, DeclaredCache> caches = new LinkedHashMap<>(); // guarded by this
    private final List<Consumer<? super CommandView>> observers = new CopyOnWriteArrayList<>();
    private final List<WorkerBulkhead> workers = new ArrayList<>(); // guarded by this
    private final Timer timer;
    private final Continuations continuations;
    private volatile boolean closed;

    /** Who waits in {@link #close()} for the runs in flight. */
    private volatile @Nullable Thread closer;

    /**
     * A container.
     *
     * @param continuations where asynchronous runs go on; null for an executor of its own
     */
    public Container(String name, Ticker ticker, Duration closeGrace, @Nullable Executor continuations) {
        this.name = name;
        this.ticker = ticker;
        this.closeGrace = closeGrace;
        this.startedAt = Instant.ofEpochMilli(ticker.epochMillis());
        this.timer = ticker.newTimer("degradable-timer-" + name);
        this.continuations = new Continuations(name, continuations);
    }

    Timer timer() {
        return timer;
    }

    /** Lets an asynchronous run go on, never on the calling thread while the container is open. */
    void goOn(Runnable driver) {
        continuations.execute(driver);
    }

    public String name() {
        return name;
    }

    public Instant startedAt() {
        return startedAt;
    }

    public Ticker ticker() {
        return ticker;
    }

    /**
     * The command of a definition; made on the first call, with everything its chain refers to.
     *
     * @throws IllegalStateException when the name, or a pool or cache of the definition, is known with other settings
     */
    @SuppressWarnings("unchecked") // isSameAs compares the class
    public <C, R> CommandRuntime<C, R> command(CommandDefinition<C, R> definition) {
        CommandRuntime<?, ?> known = commands.get(definition.name());
        if (known == null) {
            known = register(definition);
        }
        if (known.definition() != definition && !known.definition().isSameAs(definition)) {
            throw new IllegalStateException("command " + definition.name() + " is known in " + name
                    + " with other settings: " + differences(known.definition(), definition));
        }
        return (CommandRuntime<C, R>) known;
    }

    private static String differences(CommandDefinition<?, ?> known, CommandDefinition<?, ?> given) {
        return known.type() == given.type()
                ? Differences.between(known.settings(), given.settings())
                : "class was " + known.type() + ", now " + given.type();
    }

    private <C, R> CommandRuntime<?, ?> register(CommandDefinition<C, R> definition) {
        CommandRuntime<?, ?> made;
        for (StageDefinition<C, R> stage : definition.stages()) {
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                command(spare.spare()); // before the lock, since observers are told of it
            }
        }
        synchronized (this) {
            requireOpen();
            CommandRuntime<?, ?> known = commands.get(definition.name());
            if (known != null) {
                return known;
            }
            made = make(definition);
            commands.put(definition.name(), made);
        }
        observers.forEach(observer -> tell(observer, made));
        return made;
    }

    /** An observer is a guest: what it throws is loud, but breaks neither the call nor the others. */
    private static void tell(Consumer<? super CommandView> observer, CommandView command) {
        try {
            observer.accept(command);
        } catch (Throwable mistake) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
        }
    }

    private <C, R> CommandRuntime<C, R> make(CommandDefinition<C, R> definition) {
        CommandSettings settings = definition.settings();
        List<Memory<C, ?, R>> memories = new ArrayList<>();
        List<Stage<C, ?, R>> chain = new ArrayList<>();
        for (StageDefinition<C, R> stage : definition.stages()) {
            chain.add(make(stage, definition, memories));
        }
        Stage<C, R, R> primary = Stage.primary(
                StageSettings.of(
                        "primary",
                        Source.PRIMARY,
                        settings.key().name(),
                        EntrySettings.byDefault(Source.PRIMARY),
                        settings.guard()),
                guard(settings.key().name(), settings.guard(), definition.rules()),
                definition.run(),
                settings.nullIsFailure(),
                memories,
                ticker);
        return new CommandRuntime<>(definition, this, primary, chain);
    }

    private <C, R> Stage<C, ?, R> make(
            StageDefinition<C, R> stage, CommandDefinition<C, R> command, List<Memory<C, ?, R>> memories) {
        StageSettings settings = stage.settings();
        if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
            Guard itsOwn = command(spare.spare()).primary().guard();
            return Stage.spare(settings, itsOwn, spare.call(), spare.onFailure(), ticker);
        }
        Guard guard = guard(command.name() + "/" + settings.name(), settings.guard(), command.rules());
        if (stage instanceof StageDefinition.SpareFunction<C, R> spare) {
            return Stage.spare(settings, guard, spare.call(), spare.onFailure(), ticker);
        }
        if (stage instanceof StageDefinition.Cached<C, ?, R> cached) {
            return cached(settings, guard, cached, memories);
        }
        StageDefinition.Template<C, R> template = (StageDefinition.Template<C, R>) stage;
        return Stage.template(settings, guard, template.fill(), template.onFailure(), ticker);
    }

    private <C, K, R> Stage<C, ?, R> cached(
            StageSettings settings,
            Guard guard,
            StageDefinition.Cached<C, K, R> cached,
            List<Memory<C, ?, R>> memories) {
        TimedCache<K, R> cache = cache(cached.cache());
        memories.add(new Memory<>(cache, cached.key()));
        return Stage.cached(settings, guard, cache, cached.key(), cached.onFailure(), ticker);
    }

    private Guard guard(String owner, GuardSettings settings, FailureRules rules) {
        return new Guard(settings, bulkhead(owner, settings.bulkhead()), rules, ticker);
    }

    private Bulkhead bulkhead(String owner, BulkheadSettings settings) {
        if (settings instanceof BulkheadSettings.ThreadPool pool) {
            return pool(pool);
        }
        if (settings instanceof BulkheadSettings.Semaphore semaphore) {
            return new SemaphoreBulkhead(semaphore.limit());
        }
        if (settings instanceof BulkheadSettings.VirtualThreads virtual) {
            VirtualThreadBulkhead made = new VirtualThreadBulkhead(owner, virtual);
            workers.add(made);
            return made;
        }
        return InlineBulkhead.INSTANCE;
    }

    private synchronized ThreadPoolBulkhead pool(BulkheadSettings.ThreadPool wanted) {
        ThreadPoolBulkhead known = pools.get(wanted.name());
        if (known == null) {
            known = new ThreadPoolBulkhead(wanted);
            pools.put(wanted.name(), known);
            workers.add(known);
        }
        if (!known.declared().equals(wanted)) {
            throw new IllegalStateException("thread pool " + wanted.name() + " is known in " + name
                    + " with other figures: " + Differences.between(known.declared(), wanted));
        }
        return known;
    }

    /** The cache of a spec; made on the first call. */
    @SuppressWarnings(
            "unchecked") // a spec's name has one pair of types; a second use with other types would share data
    public synchronized <K, V> TimedCache<K, V> cache(CacheSpec<K, V> spec) {
        requireOpen();
        DeclaredCache known =
                caches.computeIfAbsent(spec.name(), any -> new DeclaredCache(spec, new LocalCache<>(spec, ticker)));
        if (!known.spec.equals(spec)) {
            throw new IllegalStateException("cache " + spec.name() + " is known in " + name + " with other figures: "
                    + Differences.between(known.spec, spec));
        }
        return (TimedCache<K, V>) known.cache;
    }

    /** The commands known now. */
    public Collection<? extends CommandView> commands() {
        return List.copyOf(commands.values());
    }

    /** Tells an observer of every command: those known now and those to come. It may hear of one twice. */
    public void observe(Consumer<? super CommandView> observer) {
        observers.add(observer);
        commands.values().forEach(command -> tell(observer, command));
    }

    public synchronized List<PoolView> pools() {
        return pools.values().stream().<PoolView>map(LivePool::new).toList();
    }

    public synchronized List<CacheView> caches() {
        return caches.values().stream()
                .map(known -> new CacheView(
                        known.spec.name(), known.spec.maximumSize(), known.cache.size(), known.cache.droppedPuts()))
                .toList();
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** A run has ended and is counted. */
    void runEnded() {
        Thread waiting = closer;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    /**
     * Lets no further run in, gives those in flight a grace in which they may go through their chains, then cancels them:
     * their callers get a cancellation, their bodies an interrupt. Calling it again does nothing.
     */
    public void close() {
        List<WorkerBulkhead> toEnd;
        synchronized (this) {
            if (closed) {
                return;
            }
            closer = Thread.currentThread();
            closed = true;
            toEnd = List.copyOf(workers);
        }
        long untilNanos = ticker.nanos() + Spans.nanos(closeGrace);
        awaitRuns(untilNanos);
        toEnd.forEach(WorkerBulkhead::shutdown);
        for (WorkerBulkhead bulkhead : toEnd) {
            if (!bulkhead.awaitEnd(ticker, untilNanos)) {
                bulkhead.cancelAll();
            }
        }
        timer.close();
        continuations.close();
    }

    private void awaitRuns(long untilNanos) {
        while (commands.values().stream().anyMatch(command -> command.inFlight() > 0)
                && untilNanos - ticker.nanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
    }
}
