package io.degradable.internal.execution;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.RemoteCaches;
import io.degradable.cache.TimedCache;
import io.degradable.cache.WriteBack;
import io.degradable.event.CommandEvent;
import io.degradable.event.ContextCarrier;
import io.degradable.event.RunObserver;
import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.bulkhead.VirtualThreadBulkhead;
import io.degradable.internal.execution.Flights.Flight;
import io.degradable.internal.guard.CallContext;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Stage;
import io.degradable.model.CommandKey;
import io.degradable.settings.Differences;
import io.degradable.settings.Require;
import io.degradable.state.CacheView;
import io.degradable.state.Circuit;
import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.template.StaticSnapshot;
import io.degradable.time.Deadline;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * Owns the commands of an application and what they run with. Names are unique in it, and one name has one set of settings.
 *
 * <p>Threading: every method may be called from any thread. Commands become known one after the other, under a lock in
 * which no code of the user runs.
 */
public final class Container {

    /** The name that commands above the cap on names share. */
    public static final String OTHER = "OTHER";

    /** Copies that may wait for being written to their store. */
    private static final int WAITING_WRITES = 1_000;

    private final String name;
    private final Ticker ticker;
    private final Instant startedAt;
    private final Map<String, CommandRuntime<?, ?>> commands = new ConcurrentHashMap<>();
    private final int maxNames;
    private final Parts parts;
    private final LiveTemplates templates;
    private final Eviction eviction;
    private final List<ContextCarrier> carriers;
    private final List<CommandObserver> observers = new CopyOnWriteArrayList<>();
    private @Nullable Overflow overflow; // guarded by this
    private final @Nullable Listeners listeners;
    private final @Nullable Observers observedBy;
    private final Timer timer;
    private final Continuations continuations;
    private final Closing closing;
    private final WriteBack writeBack;
    private final Switchboard switchboard;

    /**
     * A container.
     *
     * @param maxNames how many commands it may know
     * @param evictIdleAfter when a command with a name that was made up while running is let go
     * @param continuations where asynchronous runs go on; null for an executor of its own
     * @param carriers what takes along what belongs to calling threads
     * @param listeners who hears what becomes of calls and breakers
     * @param runObservers who follows runs
     * @param stores where copies are kept outside; null for nowhere
     * @param steering what steers it from outside
     */
    public Container(
            String name,
            Ticker ticker,
            Duration closeGrace,
            int maxNames,
            Duration evictIdleAfter,
            @Nullable Executor continuations,
            List<ContextCarrier> carriers,
            Listeners.Registered listeners,
            List<RunObserver> runObservers,
            @Nullable RemoteCaches stores,
            Switchboard.Steering steering) {
        LaneRun.load();
        this.name = name;
        this.ticker = ticker;
        this.closing = new Closing(ticker, closeGrace);
        this.maxNames = maxNames;
        this.continuations = new Continuations(name, continuations, closing::wake);
        this.listeners = listeners.areThere() ? new Listeners(name, listeners, closing::wake) : null;
        this.observedBy = runObservers.isEmpty() ? null : new Observers(runObservers);
        this.writeBack = new WriteBack(
                WAITING_WRITES, ticker, this.continuations::aside, this.continuations::areClosed, closing::wake);
        this.parts = new Parts(name, ticker, this.continuations::interrupt, this.listeners, stores, writeBack);
        this.templates = new LiveTemplates(name, ticker, maxNames, this.listeners);
        this.carriers = List.copyOf(carriers);
        this.eviction = new Eviction(ticker, evictIdleAfter);
        this.startedAt = Instant.ofEpochMilli(ticker.epochMillis());
        this.timer = ticker.newTimer("degradable-timer-" + name);
        this.switchboard = new Switchboard(this, parts, timer, this.continuations::aside, steering, closing::wake);
        switchboard.start();
    }

    List<ContextCarrier> carriers() {
        return carriers;
    }

    Timer timer() {
        return timer;
    }

    /** Lets an asynchronous run go on, never on the calling thread while the container is open. */
    void goOn(Runnable driver) {
        continuations.execute(driver);
    }

    /** Keeps a driver for later: {@link #goOnWith}, which has an effect once. If nobody says so before, closing does. */
    Runnable keep(Runnable driver) {
        return continuations.keep(driver);
    }

    /** Lets a run go on with what was {@linkplain #keep kept} for it. */
    void goOnWith(Runnable kept) {
        continuations.begin(kept);
    }

    /**
     * Does something that no call waits for, on another thread, with what is carried along for the body that the calling
     * thread runs. What goes wrong with that is nobody's figure.
     *
     * @return false when it will not be done
     */
    boolean aside(Runnable work) {
        CallContext context = Deadline.current().carried() instanceof CallContext carried
                ? carried
                : CallContext.capture(carriers, null, () -> {});
        return continuations.aside(() -> context.runUnseen(work));
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
     * The command of a definition; made on the first call, with everything its chain refers to. Above the cap on names it is
     * one that shares what is protected under {@link #OTHER}.
     *
     * @throws IllegalStateException when the name, or a pool or cache of the definition, is known with other settings
     */
    @SuppressWarnings("unchecked") // isSameAs compares the class
    public <C, R> CommandRuntime<C, R> command(CommandDefinition<C, R> definition) {
        CommandRuntime<?, ?> known = commands.get(definition.name());
        if (known == null || known.isGone()) {
            known = register(definition);
        }
        if (known.definition() != definition && !known.definition().isSameAs(definition)) {
            throw new IllegalStateException("command " + definition.name() + " is known in " + name
                    + " with other settings: " + differences(known.definition(), definition));
        }
        return (CommandRuntime<C, R>) known;
    }

    private static String differences(CommandDefinition<?, ?> known, CommandDefinition<?, ?> given) {
        if (known.type() != given.type()) {
            return "class was " + known.type() + ", now " + given.type();
        }
        return known.settings().equals(given.settings())
                ? "what the code has set was " + new TreeSet<>(known.said()) + ", now " + new TreeSet<>(given.said())
                : Differences.between(known.settings(), given.settings());
    }

    private <C, R> CommandRuntime<?, ?> register(CommandDefinition<C, R> definition) {
        for (StageDefinition<C, R> stage : definition.stages()) {
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                command(spare.spare()); // before the lock, since observers are told of it
            }
        }
        templates.declare(definition); // before the lock, since values are compared
        News news = new News();
        CommandRuntime<?, ?> found;
        switchboard.awaits(definition); // what is held of it holds from its first call on
        try {
            found = find(definition, news);
        } finally {
            switchboard.awaitsNoMore(definition);
        }
        news.tell();
        return found;
    }

    private synchronized <C, R> CommandRuntime<?, ?> find(CommandDefinition<C, R> definition, News news) {
        requireOpen();
        sweep(news);
        CommandRuntime<?, ?> known = commands.get(definition.name());
        if (known != null) {
            return known;
        }
        if (commands.size() - (overflow == null ? 0 : 1) >= maxNames) {
            return overflow(definition, news).runtime(definition);
        }
        for (StageDefinition<C, R> stage : definition.stages()) {
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                find(spare.spare(), news); // the sweep may just have let it go
            }
        }
        CommandRuntime<C, R> made;
        try {
            made = new Assembly(this, parts, new Assembly.OwnGuards(parts)).runtime(definition);
        } catch (RuntimeException refused) {
            keepPools();
            throw refused;
        }
        news.forced.addAll(switchboard.connect(made));
        commands.put(definition.name(), made);
        news.known.add(made);
        return made;
    }

    private void keepPools() {
        Set<String> named = Eviction.poolsOf(commands.values());
        parts.keepPools(named);
        switchboard.keepPools(named);
    }

    private synchronized void sweep(News news) {
        news.gone.addAll(eviction.sweepIfDue(commands, this::keepPools, templates));
        if (overflow != null && !news.gone.isEmpty()) {
            overflow.end(); // there is room again: who shared the key looks up anew
        }
    }

    private Overflow overflow(CommandDefinition<?, ?> first, News news) {
        Overflow shared = overflow;
        if (shared == null) {
            shared = new Overflow(this, parts);
            overflow = shared;
            commands.put(OTHER, shared.other());
            news.known.add(shared.other());
            news.firstOverCap = first.name();
        }
        return shared;
    }

    /** What is to be told once no lock is held. */
    private final class News {

        private @Nullable String firstOverCap;
        private final List<CommandRuntime<?, ?>> known = new ArrayList<>();
        private final List<CommandRuntime<?, ?>> gone = new ArrayList<>();

        /** Tell of breakers that were forced. */
        private final List<Runnable> forced = new ArrayList<>();

        void tell() {
            if (firstOverCap != null) {
                // Asked for when it is needed: the JDK's own logging adds a shutdown hook.
                System.Logger log = System.getLogger(Container.class.getName());
                log.log(
                        System.Logger.Level.WARNING,
                        "{0} knows {1} commands, its cap: {2} and all further names share the key {3}. Take fewer names,"
                                + " or raise Commands.builder().maxNames(...)",
                        name,
                        Integer.toString(maxNames),
                        firstOverCap,
                        OTHER);
            }
            forced.forEach(Runnable::run);
            known.forEach(switchboard::isKnownNow);
            for (CommandObserver observer : observers) {
                gone.forEach(command -> Container.tell(() -> observer.gone(command)));
                known.forEach(command -> Container.tell(() -> observer.known(command)));
            }
        }
    }

    /** An observer is a guest: what it throws is loud, but breaks neither the call nor the others. */
    private static void tell(Runnable observer) {
        try {
            observer.run();
        } catch (Throwable mistake) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
            } catch (Throwable again) {
                // The handler was the last to hear of it, and is a guest as well; the JVM lets it throw in vain, too.
            }
        }
    }

    /** The cache of a spec; made on the first call. */
    public <K, V> TimedCache<K, V> cache(CacheSpec<K, V> spec) {
        requireOpen();
        return parts.cache(spec);
    }

    /** The commands known now. Those that nobody has used for long are let go before. */
    public Collection<? extends CommandView> commands() {
        News news = new News();
        synchronized (this) {
            if (!isClosed()) {
                sweep(news);
            }
        }
        news.tell();
        return List.copyOf(commands.values());
    }

    /** Tells an observer of every command: those known now and those to come. It may hear of one twice. */
    public void watch(CommandObserver observer) {
        observers.add(observer);
        commands.values().forEach(command -> tell(() -> observer.known(command)));
    }

    public List<PoolView> pools() {
        return parts.poolViews();
    }

    public List<CacheView> caches() {
        return parts.cacheViews();
    }

    /** The templates of the commands. */
    public LiveTemplates templates() {
        return templates;
    }

    /** The snapshots that chains end with, each once, by name. */
    public List<StaticSnapshot.View> snapshots() {
        IdentityHashMap<StaticSnapshot<?, ?>, String> named = new IdentityHashMap<>();
        for (CommandRuntime<?, ?> command : commands.values()) {
            for (StageDefinition<?, ?> stage : command.definition().stages()) {
                if (stage instanceof StageDefinition.Snapshot<?, ?, ?> link) {
                    named.put(link.snapshot(), link.settings().refersTo());
                }
            }
        }
        return named.entrySet().stream()
                .map(link -> view(link.getKey(), link.getValue()))
                .sorted(Comparator.comparing(StaticSnapshot.View::name))
                .toList();
    }

    /** Who looks at the state sees all else, too, when a snapshot of the user's own making cannot be looked at. */
    private static StaticSnapshot.View view(StaticSnapshot<?, ?> snapshot, String name) {
        try {
            return snapshot.view();
        } catch (RuntimeException mistake) {
            return new StaticSnapshot.View(name, 0, null, -1, 0, 0, 0, 0, "cannot be looked at: " + mistake);
        }
    }

    /** Sets other targets for a pool. */
    public void resizePool(String pool, int size, int queue) {
        parts.resizePool(pool, size, queue);
        switchboard.resizedByCode("pool " + pool, "size " + size + ", queue " + queue);
    }

    /** A command that a hand is laid on. */
    private CommandRuntime<?, ?> known(String command) {
        CommandRuntime<?, ?> known = commands.get(command);
        if (known == null) {
            String names = commands.keySet().stream().sorted().limit(20).collect(Collectors.joining(", "));
            throw new IllegalArgumentException("command " + command + " is not known in " + name
                    + ": register its spec or call it first; known are [" + names + "]");
        }
        known.pin(); // what a hand has touched does not go by itself
        return known;
    }

    /** The breaker of a stage of a command; of a spare command it is the one that its direct users have, too. */
    public Circuit circuit(String command, String stage) {
        Guard guard = guard(command, stage);
        if (guard.isInline()) {
            throw new IllegalArgumentException(
                    "stage " + stage + " of " + command + " is read in memory and has no breaker");
        }
        return switchboard.circuit(known(command), stage, guard.breaker());
    }

    /** The guard of a stage of a command; of a spare command it is the one that its direct users have, too. */
    public Guard guard(String command, String stage) {
        CommandRuntime<?, ?> owner = known(command);
        List<String> names = new ArrayList<>();
        for (Stage<?, ?, ?> one : owner.wiring().allStages()) {
            names.add(one.settings().name());
            if (one.settings().name().equals(stage)) {
                return one.guard();
            }
        }
        throw new IllegalArgumentException("command " + command + " has no stage " + stage + ", it has " + names);
    }

    /** Sets another target for how many bodies of a command on a semaphore or on virtual threads run at once. */
    public void resize(String command, int limit) {
        Require.positive("limit of " + command, limit);
        Bulkhead bulkhead = known(command).wiring().primary().guard().bulkhead();
        if (bulkhead instanceof SemaphoreBulkhead semaphore) {
            semaphore.resize(limit);
        } else if (bulkhead instanceof VirtualThreadBulkhead virtual) {
            virtual.resize(limit);
        } else {
            throw new IllegalArgumentException(
                    "command " + command + " runs on a thread pool: resize that, it may be shared");
        }
        switchboard.resizedByCode("command " + command, "limit " + limit);
    }

    /** What hands and the configuration make of the commands. */
    public Switchboard switchboard() {
        return switchboard;
    }

    /** What commands above the cap on names share; null while there are none. Guarded by this. */
    @Nullable
    Overflow overflow() {
        return overflow;
    }

    /** The command of a name, if it is known. */
    @Nullable
    CommandRuntime<?, ?> find(String command) {
        return commands.get(command);
    }

    /** The group of a command, also of one above the cap on names; empty when nobody knows it. */
    String groupOf(String command) {
        CommandRuntime<?, ?> known = commands.get(command);
        if (known != null) {
            return known.key().group();
        }
        synchronized (this) {
            return overflow == null ? "" : overflow.groupOf(command);
        }
    }

    /** All that are known. */
    Collection<CommandRuntime<?, ?>> all() {
        return commands.values();
    }

    void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    public boolean isClosed() {
        return closing.hasBegun();
    }

    /** Whether what a run takes along has to be captured when it begins, since it is needed after its end. */
    boolean needsContext() {
        return listeners != null && listeners.needContext();
    }

    /** Events that listeners have not heard of. */
    public long droppedEvents() {
        return (listeners == null ? 0 : listeners.dropped()) + switchboard.log().missed();
    }

    /** How often a listener, of events or of changes, or who follows runs threw. */
    public long listenerMistakes() {
        return (listeners == null ? 0 : listeners.mistakes())
                + (observedBy == null ? 0 : observedBy.mistakes())
                + switchboard.log().mistakes();
    }

    /** To be told how many retries of a command were denied. */
    LongConsumer retriesDenied(CommandKey command) {
        return listeners == null
                ? denied -> {}
                : denied -> listeners.tellNow(new CommandEvent.RetryBudgetExhausted(command, denied));
    }

    /** Who follows runs; null for nobody. */
    @Nullable
    Observers observers() {
        return observedBy;
    }

    /** Whether somebody hears of runs or follows them, and has to be told. */
    boolean isFollowed() {
        return listeners != null || observedBy != null;
    }

    /** A run that nobody is told of has ended and is counted. */
    void runEnded() {
        closing.wake();
    }

    /** A run has ended and is counted. */
    void runEnded(Run<?, ?> run) {
        if (listeners == null) {
            closing.wake();
        } else {
            listeners.runEnded(run, () -> {
                run.told();
                closing.wake();
            });
        }
    }

    /** A run was turned away. */
    void runTurnedAway() {
        closing.wake();
    }

    /**
     * Waits on the calling thread until a moment, an interrupt, or the close; nothing is held meanwhile.
     *
     * @param flight whose end is an end of the wait, too; null for none
     */
    void pause(long untilNanos, @Nullable Flight flight) {
        closing.pause(untilNanos, flight);
    }

    /**
     * Lets no further run in, gives those in flight a grace in which they may go through their chains, then cancels them:
     * their callers get a cancellation, their bodies an interrupt. Calling it again waits for the first call, until it is
     * interrupted; the thread that closes, when it comes here again, does not wait for itself.
     */
    public void close() {
        continuations.waitsForOthers();
        if (beginToClose()) {
            try {
                closing.end(
                        this::areRunsInFlight,
                        parts.workers(),
                        () -> writeBack.isUnderWay() || switchboard.isUnderWay(),
                        switchboard::close,
                        timer,
                        continuations,
                        listeners);
            } finally {
                closing.isDone();
            }
        } else if (listeners == null || !listeners.isTeller()) { // for its thread the other close may be waiting
            closing.awaitOther();
        }
    }

    private synchronized boolean beginToClose() {
        return closing.begin();
    }

    private boolean areRunsInFlight() {
        return commands.values().stream()
                .anyMatch(command -> command.inFlight() > 0
                        || (listeners != null && command.counts().areUntold()));
    }
}
