package io.degradable;

import io.degradable.cache.CacheSpec;
import io.degradable.cache.RemoteCaches;
import io.degradable.cache.TimedCache;
import io.degradable.control.ChangeListener;
import io.degradable.control.OverrideStore;
import io.degradable.control.Switches;
import io.degradable.event.CommandListener;
import io.degradable.event.ContextCarrier;
import io.degradable.event.RunObserver;
import io.degradable.internal.execution.Container;
import io.degradable.internal.execution.Listeners;
import io.degradable.internal.execution.Switchboard;
import io.degradable.model.CommandResult;
import io.degradable.rx.RxRuns;
import io.degradable.settings.Require;
import io.degradable.settings.SettingSource;
import io.degradable.state.CacheView;
import io.degradable.state.Circuit;
import io.degradable.state.CommandObserver;
import io.degradable.state.CommandView;
import io.degradable.state.ConfigurationView;
import io.degradable.state.PoolView;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.TemplateCatalog;
import io.degradable.time.Ticker;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;

/**
 * A container: owns the pools, breakers, caches and counts that commands run with. Most applications have one, and may use
 * {@link #shared()}; tests have one each.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Commands implements AutoCloseable {

    private static final Object SHARED_LOCK = new Object();
    private static volatile Commands shared = new Commands(new Builder().name("shared"));

    private final Container container;

    private Commands(Builder builder) {
        this.container = new Container(
                builder.name,
                builder.ticker,
                builder.closeGrace,
                builder.maxNames,
                builder.evictIdleAfter,
                builder.continuations,
                builder.carriers(),
                new Listeners.Registered(builder.listeners, builder.inlineListeners, builder.eventQueue),
                builder.runObservers,
                builder.stores,
                new Switchboard.Steering(builder.settings, builder.switches, builder.changeListeners));
    }

    /** The container of commands that name none. After it was closed, a new one. */
    public static Commands shared() {
        Commands current = shared;
        if (!current.container.isClosed()) {
            return current;
        }
        synchronized (SHARED_LOCK) {
            if (shared.container.isClosed()) {
                shared = builder().name("shared").build();
            }
            return shared;
        }
    }

    /** A container with all defaults. */
    public static Commands create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** What a container is made of. */
    public static final class Builder {

        private String name = "commands";
        private Ticker ticker = Ticker.system();
        private Duration closeGrace = Duration.ofSeconds(1);
        private int maxNames = 10_000;
        private Duration evictIdleAfter = Duration.ofHours(1);
        private @Nullable Executor continuations;
        private final List<ContextCarrier> carriers = new ArrayList<>();
        private boolean contextPropagation = true;
        private final List<CommandListener> listeners = new ArrayList<>();
        private final List<CommandListener> inlineListeners = new ArrayList<>();
        private int eventQueue = 4_096;
        private final List<RunObserver> runObservers = new ArrayList<>();
        private @Nullable RemoteCaches stores;
        private final List<SettingSource> settings = new ArrayList<>();
        private @Nullable OverrideStore switches;
        private final List<ChangeListener> changeListeners = new ArrayList<>();

        private Builder() {}

        /** How it is called in messages; default {@code commands}. */
        public Builder name(String name) {
            this.name = Require.name("container name", name);
            return this;
        }

        /** Where all time comes from; default the JVM's clocks. */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker must not be null");
            return this;
        }

        /**
         * Where copies of {@linkplain CacheSpec#stored stored} caches are kept outside of this process, as in Redis; default
         * nowhere. It is not closed with the container.
         */
        public Builder caches(RemoteCaches caches) {
            this.stores = Objects.requireNonNull(caches, "caches must not be null");
            return this;
        }

        /**
         * Where settings and switches come from outside of the code; may be said several times, and where two disagree the
         * one said first has its way. Read once when the container is built, and after each change. It is not closed with
         * the container.
         */
        public Builder settings(SettingSource source) {
            settings.add(Objects.requireNonNull(source, "settings must not be null"));
            return this;
        }

        /**
         * Where what is {@linkplain Commands#switches() set by hand} is kept, so that it survives a restart and reaches all
         * instances that share the store; default nowhere. Looked into when the container is built, for as long as the store
         * lets it wait. It is not closed with the container.
         */
        public Builder switches(OverrideStore store) {
            this.switches = Objects.requireNonNull(store, "switches must not be null");
            return this;
        }

        /** Tells a listener of every change by hand or by configuration, for instance to keep it; may be said several times. */
        public Builder changeListener(ChangeListener listener) {
            changeListeners.add(Objects.requireNonNull(listener, "changeListener must not be null"));
            return this;
        }

        /** How long {@link Commands#close()} lets bodies go on before it interrupts them; default 1 s. */
        public Builder closeGrace(Duration closeGrace) {
            this.closeGrace = Require.positive("closeGrace", closeGrace);
            return this;
        }

        /**
         * How many commands it may know, 1 or more; default 10,000. All further names share the key {@code OTHER}, with one
         * breaker and one bulkhead for all of them: loud, and protected.
         */
        public Builder maxNames(int names) {
            this.maxNames = Require.positive("maxNames", names);
            return this;
        }

        /**
         * After which time without a call a command is let go, with its counts and meters; default 1 h. Only one whose name
         * was made up ({@code name(...)}, {@link CommandSpec#named}), was not {@linkplain Commands#register registered}, and
         * has nothing in flight and a closed breaker. Its next call makes it known anew.
         */
        public Builder evictIdleAfter(Duration idle) {
            this.evictIdleAfter = Require.positive("evictIdleAfter", idle);
            return this;
        }

        /**
         * Where asynchronous runs go on after a worker or the timer has decided, and where what depends on a future or an Rx
         * source is run. Default: virtual threads from Java 21 on, else daemon threads that go when idle; as many as runs
         * go on at a time. When it refuses, a thread of the container takes over. It is not closed with the container.
         *
         * <p>From the moment the container closes it is given nothing more, and threads of the container run what it was given
         * and has not begun, each once, even if it runs it later. So an executor that loses what it takes holds runs up until
         * then, and {@link Commands#close()} completes every future that was handed out.
         */
        public Builder continuations(Executor executor) {
            this.continuations = Objects.requireNonNull(executor, "continuations must not be null");
            return this;
        }

        /**
         * Takes something along that belongs to calling threads; may be said several times. Without being told, each call
         * takes the context class loader of its thread along and, where Micrometer's context-propagation is on the class
         * path, what is registered there.
         */
        public Builder carry(ContextCarrier carrier) {
            carriers.add(Objects.requireNonNull(carrier, "carrier must not be null"));
            return this;
        }

        /** Leaves Micrometer's context-propagation alone, although it is on the class path. */
        public Builder noContextPropagation() {
            this.contextPropagation = false;
            return this;
        }

        private List<ContextCarrier> carriers() {
            return contextPropagation ? OnClassPath.withContextPropagation(carriers) : carriers;
        }

        /**
         * Tells a listener what becomes of calls and breakers, on a thread of the container, in order, from a queue; may be
         * said several times. It holds up no call, however long it takes, but what does not fit into the queue is dropped
         * and counted: {@link Commands#droppedEvents()}. With a listener each call is asked for what it carries along.
         */
        public Builder listener(CommandListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
            return this;
        }

        /**
         * As {@link #listener}, but on the thread that ends the run or moves the breaker, before the caller has his answer:
         * its delay is the call's, and no limit ends it. None of its events is dropped.
         */
        public Builder inlineListener(CommandListener listener) {
            inlineListeners.add(Objects.requireNonNull(listener, "listener must not be null"));
            return this;
        }

        /** How many runs and changes of breakers may wait to be told to a {@link #listener}, 1 or more; default 4,096. */
        public Builder eventQueue(int entries) {
            this.eventQueue = Require.positive("eventQueue", entries);
            return this;
        }

        /**
         * Lets somebody follow each run from its beginning, on the threads where it is, for traces; may be said several
         * times. It is called on the way of every call, so its delay is the call's. A call that is followed is asked for
         * what it carries along.
         */
        public Builder observe(RunObserver observer) {
            runObservers.add(Objects.requireNonNull(observer, "observer must not be null"));
            return this;
        }

        public Commands build() {
            return new Commands(this);
        }
    }

    /** Runs a command here, whichever container it names itself; see {@link DegradableCommand#execute()}. */
    public <R> R execute(DegradableCommand<R> command) {
        return specOf(command).execute(container, command);
    }

    /** Runs a command here and tells where the answer came from; see {@link DegradableCommand#executeForResult()}. */
    public <R> CommandResult<R> executeForResult(DegradableCommand<R> command) {
        return specOf(command).executeForResult(container, command);
    }

    /** Begins a run here; see {@link DegradableCommand#queue()}. */
    public <R> CompletableFuture<R> queue(DegradableCommand<R> command) {
        return specOf(command).queue(container, command);
    }

    /** Begins a run here; see {@link DegradableCommand#queueForResult()}. */
    public <R> CompletableFuture<CommandResult<R>> queueForResult(DegradableCommand<R> command) {
        return specOf(command).queueForResult(container, command);
    }

    /** The answer of a run here as a cold source; see {@link DegradableCommand#toMaybe()}. */
    public <R> Maybe<R> toMaybe(DegradableCommand<R> command) {
        return specOf(command).toMaybe(() -> container, command);
    }

    /** The result of a run here as a cold source; see {@link DegradableCommand#toResultSingle()}. */
    public <R> Single<CommandResult<R>> toResultSingle(DegradableCommand<R> command) {
        return specOf(command).toResultSingle(() -> container, command);
    }

    /** Begins a run here and gives out its answer as a hot source; see {@link DegradableCommand#observe()}. */
    public <R> Maybe<R> observe(DegradableCommand<R> command) {
        return RxRuns.hot(toMaybe(command));
    }

    /** The spec of a command, which is the same for all of its kind. */
    public static <R> CommandSpec<?, R> specOf(DegradableCommand<R> command) {
        CommandSpec<?, R> spec =
                Objects.requireNonNull(command, "command must not be null").spec();
        return Objects.requireNonNull(
                spec, "the command has no spec: a mock of a command cannot be run, mock what its run() calls instead");
    }

    /**
     * Runs a body under a spec, without a class for the command: {@code commands.call(SPEC, "42", () -> catalog.find(42))}.
     *
     * @param key what the call is about, for the cache keys and operation ids of the spec
     * @see DegradableCommand#execute()
     */
    public <R> R call(CommandSpec<CallableCommand<R>, R> spec, String key, Callable<? extends R> body) {
        return execute(new CallableCommand<>(this, spec, key, body));
    }

    /** Runs a body that needs no key, see {@link #call(CommandSpec, String, Callable)}. */
    public <R> R call(CommandSpec<CallableCommand<R>, R> spec, Callable<? extends R> body) {
        return call(spec, "", body);
    }

    Container container() {
        return container;
    }

    /**
     * Makes commands known before their first call, so that state and meters show them at zero, and keeps them however long
     * nobody calls them.
     *
     * @throws IllegalStateException when a name, pool or cache is known with other settings
     */
    public void register(CommandSpec<?, ?>... specs) {
        Objects.requireNonNull(specs, "specs must not be null");
        for (CommandSpec<?, ?> spec : specs) {
            Objects.requireNonNull(spec, "spec must not be null");
        }
        for (CommandSpec<?, ?> spec : specs) {
            container.command(spec.definition()).pin();
        }
    }

    /**
     * Sets other targets for a thread pool while it works: fewer threads let running bodies end, more take work at once.
     *
     * @param size threads, 1 or more
     * @param queue places for calls that wait, 0 or more
     * @throws IllegalArgumentException when there is no such pool; the message names those there are
     */
    public void resizePool(String pool, int size, int queue) {
        container.resizePool(Objects.requireNonNull(pool, "pool must not be null"), size, queue);
    }

    /**
     * Sets another target for how many bodies of a command run at once, on a semaphore or on virtual threads.
     *
     * @throws IllegalArgumentException when the command is not known or runs on a thread pool
     */
    public void resize(String command, int limit) {
        container.resize(Objects.requireNonNull(command, "command must not be null"), limit);
    }

    /** What comes from {@linkplain Builder#settings outside of the code}, and what of it could not be done. */
    public ConfigurationView configuration() {
        return container.switchboard().configuration();
    }

    /** What a human may turn: switches, stages, breakers; and the record of what was changed. */
    public Switches switches() {
        return container.switchboard().switches();
    }

    /** The breaker of a command, to be looked at and held by hand. */
    public Circuit circuit(String command) {
        return circuit(command, "primary");
    }

    /**
     * The breaker of a stage of a command; of a spare command it is the one that its direct users have, too.
     *
     * @throws IllegalArgumentException when there is no such command or stage, or it is read in memory and has no breaker
     */
    public Circuit circuit(String command, String stage) {
        return container.circuit(
                Objects.requireNonNull(command, "command must not be null"),
                Objects.requireNonNull(stage, "stage must not be null"));
    }

    /** The cache of a spec, for instance to invalidate a key or to fill it at start. */
    public <K, V> TimedCache<K, V> cache(CacheSpec<K, V> spec) {
        return container.cache(Objects.requireNonNull(spec, "spec must not be null"));
    }

    /** The commands known now. */
    public Collection<? extends CommandView> commands() {
        return container.commands();
    }

    /** The thread pools in use now. */
    public List<PoolView> pools() {
        return container.pools();
    }

    /** The snapshots that the chains of known commands end with, each once, by name. */
    public List<StaticSnapshot.View> snapshots() {
        return container.snapshots();
    }

    /** The caches in use now. */
    public List<CacheView> caches() {
        return container.caches();
    }

    /** The templates of its commands, each in its current version, to be looked at and replaced. */
    public TemplateCatalog templates() {
        return container.templates();
    }

    /** Tells an observer of every command as it becomes known or goes, and at once of those known already. */
    public void watch(CommandObserver observer) {
        container.watch(Objects.requireNonNull(observer, "observer must not be null"));
    }

    /**
     * Events that listeners have not heard of, since their queue was full or the container was closed, and changes that a
     * {@link ChangeListener} has missed, being too far behind.
     */
    public long droppedEvents() {
        return container.droppedEvents();
    }

    /** How often a listener, of events or of changes, or a {@link RunObserver} threw. */
    public long listenerMistakes() {
        return container.listenerMistakes();
    }

    /** Where this container's time comes from. */
    public Ticker ticker() {
        return container.ticker();
    }

    public String name() {
        return container.name();
    }

    /** When this container was made; its counts run since then. */
    public Instant startedAt() {
        return container.startedAt();
    }

    public boolean isClosed() {
        return container.isClosed();
    }

    @Override
    public String toString() {
        return "Commands[" + name() + (isClosed() ? ", closed]" : "]");
    }

    /**
     * Lets no further run in, gives those in flight a grace, then interrupts their bodies. Calling it again waits for the
     * first call, unless it comes out of that one, and does nothing else; a thread that is interrupted waits no longer.
     */
    @Override
    public void close() {
        container.close();
    }
}
