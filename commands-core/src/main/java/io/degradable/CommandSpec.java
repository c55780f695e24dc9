package io.degradable;

import io.degradable.internal.execution.AsyncExecution;
import io.degradable.internal.execution.CommandDefinition;
import io.degradable.internal.execution.CommandFuture;
import io.degradable.internal.execution.CommandRuntime;
import io.degradable.internal.execution.Container;
import io.degradable.internal.execution.FinishedRun;
import io.degradable.internal.execution.StageDefinition;
import io.degradable.internal.guard.FailureRules;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.Criticality;
import io.degradable.rx.RxRuns;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.ChainRules;
import io.degradable.settings.CommandDeclaration;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.Require;
import io.degradable.settings.RetrySettings;
import io.degradable.time.Deadline;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * What a class of commands is: its names, its guard, its fallback chain. It is built once per class and is data: it can be
 * listed and checked before the first call.
 *
 * <p>Threading: immutable but for a remembered look-up; may be used by any thread and in several containers.
 *
 * @param <C> the command
 * @param <R> the answer
 */
public final class CommandSpec<C extends DegradableCommand<R>, R> {

    private final CommandDefinition<C, R> definition;
    private final boolean bounded;
    private final @Nullable Function<? super C, String> operationId;

    /** What was found where this spec was last looked up. Weak: a spec is mostly static, and outlives its containers. */
    private volatile WeakReference<CommandRuntime<C, R>> found = new WeakReference<>(null);

    private CommandSpec(
            CommandDefinition<C, R> definition, boolean bounded, @Nullable Function<? super C, String> operationId) {
        this.definition = definition;
        this.operationId = operationId;
        this.bounded = bounded;
    }

    /** The spec of a class; its name is the simple name unless given. */
    public static <C extends DegradableCommand<R>, R> Builder<C, R> of(Class<C> type) {
        return new Builder<>(Objects.requireNonNull(type, "type must not be null"), type.getSimpleName());
    }

    /** A spec by name, for generic command classes only: {@link #of} finds out about a mix-up of classes. */
    public static <C extends DegradableCommand<R>, R> Builder<C, R> named(String name) {
        return new Builder<>(null, name);
    }

    /** The spec of calls whose body comes with each of them, see {@link Commands#call}. */
    public static <R> Builder<CallableCommand<R>, R> callable(String name) {
        return new Builder<>(null, name);
    }

    public String name() {
        return definition.settings().key().name();
    }

    /** All of it that is data. */
    public CommandSettings settings() {
        return definition.settings();
    }

    @Override
    public String toString() {
        return "CommandSpec[" + name() + " of " + settings().key().group() + "]";
    }

    CommandDefinition<C, R> definition() {
        return definition;
    }

    boolean isBounded() {
        return bounded;
    }

    CommandSpec<C, R> requireSpecOf(Class<?> command) {
        Class<?> type = definition.type();
        if (type != null && !type.isAssignableFrom(command)) {
            throw new IllegalArgumentException(
                    "the spec " + name() + " is of " + type.getName() + ", not of " + command.getName());
        }
        return this;
    }

    @SuppressWarnings({"NullAway", "unchecked"}) // null comes out only where the user's own run() put it in
    R execute(Container container, DegradableCommand<R> command) {
        return (R) call(container, command, false);
    }

    @SuppressWarnings({"NullAway", "unchecked"}) // a result is asked for
    CommandResult<R> executeForResult(Container container, DegradableCommand<R> command) {
        return (CommandResult<R>) call(container, command, true);
    }

    CompletableFuture<R> queue(Container container, DegradableCommand<R> command) {
        return CommandFuture.of(
                (Consumer<FinishedRun<R>> whenOver) -> begin(container, command, whenOver), FinishedRun::answer);
    }

    CompletableFuture<CommandResult<R>> queueForResult(Container container, DegradableCommand<R> command) {
        return CommandFuture.of(
                (Consumer<FinishedRun<R>> whenOver) -> begin(container, command, whenOver), FinishedRun::result);
    }

    Maybe<R> toMaybe(Supplier<Container> container, DegradableCommand<R> command) {
        return RxRuns.maybe(whenOver -> begin(container.get(), command, whenOver)::cancel);
    }

    Single<CommandResult<R>> toResultSingle(Supplier<Container> container, DegradableCommand<R> command) {
        return RxRuns.resultSingle(whenOver -> begin(container.get(), command, whenOver)::cancel);
    }

    private @Nullable Object call(Container container, DegradableCommand<R> command, boolean asResult) {
        C arguments = arguments(command);
        while (true) {
            Object answer = in(container).call(arguments, asResult);
            if (answer != CommandRuntime.GONE) {
                return answer;
            }
            found.clear(); // it was let go for want of use
        }
    }

    private AsyncExecution<C, R> begin(
            Container container, DegradableCommand<R> command, Consumer<? super FinishedRun<R>> whenOver) {
        C arguments = arguments(command);
        while (true) {
            AsyncExecution<C, R> begun = in(container).start(arguments, whenOver);
            if (begun != null) {
                return begun;
            }
            found.clear();
        }
    }

    /** The command, if what it is to do can be told from everything else. */
    private C arguments(DegradableCommand<R> command) {
        C arguments = cast(command);
        if (operationId != null) {
            String id;
            try {
                id = operationId.apply(arguments);
            } catch (RuntimeException mistake) {
                throw new IllegalArgumentException(
                        "command " + name() + ": its operation has no id, the function threw " + mistake, mistake);
            }
            if (id == null || id.isBlank()) {
                throw new IllegalArgumentException("command " + name() + ": the id of its operation must not be "
                        + (id == null ? "null" : "blank") + ": the other side could do it twice");
            }
        }
        return arguments;
    }

    private CommandRuntime<C, R> in(Container container) {
        CommandRuntime<C, R> last = found.get();
        if (last != null && last.container() == container) {
            return last;
        }
        CommandRuntime<C, R> command;
        try {
            command = container.command(definition);
        } catch (RuntimeException refused) {
            // No page around it may answer for a check that could not even be asked for.
            if (settings().effect() == Effect.FAIL_CLOSED) {
                Deadline.current().checkBegins();
            }
            throw refused;
        }
        found = new WeakReference<>(command);
        return command;
    }

    @SuppressWarnings("unchecked") // requireSpecOf has checked the class when the command was made
    private C cast(DegradableCommand<R> command) {
        return (C) command;
    }

    /** How many bodies of a guard may run at once. */
    static int boundOf(BulkheadSettings bulkhead) {
        if (bulkhead instanceof BulkheadSettings.ThreadPool pool) {
            return pool.size();
        }
        if (bulkhead instanceof BulkheadSettings.VirtualThreads virtual) {
            return virtual.limit();
        }
        return bulkhead instanceof BulkheadSettings.Semaphore semaphore ? semaphore.limit() : 0;
    }

    /**
     * Collects what a command is. Every setting but the group has a default; what contradicts itself is refused by
     * {@link #build()} or before.
     */
    public static final class Builder<C extends DegradableCommand<R>, R> {

        private final @Nullable Class<C> type;
        private String name;
        private @Nullable String group;
        private Criticality criticality = Criticality.CORE;
        private Effect effect = Effect.READ;
        private @Nullable Function<? super C, String> operationId;
        private @Nullable Consumer<? super ThreadPoolSpec> pool;
        private @Nullable Supplier<? extends BulkheadSettings> other;
        private @Nullable String otherSays;
        private Duration timeout = CommandSettings.DEFAULT_TIMEOUT;
        private Duration deadline = GuardSettings.NO_TIMEOUT;
        private boolean interruptOnTimeout = true;
        private @Nullable Duration slowCall;
        private @Nullable Duration bounded;
        private @Nullable Consumer<? super BreakerSpec> breaker;
        private boolean noBreaker;
        private boolean repeatable;
        private @Nullable Consumer<? super RetrySpec> retry;
        private boolean nullIsFailure;
        private double rehearsalPercentage = CommandSettings.DEFAULT_REHEARSAL;
        private FailureRules rules = FailureRules.DEFAULT;
        private @Nullable Function<? super Start<C, R>, ? extends FallbackSpec<C, R>> fallback;

        /** What was said of the command itself, by the names that settings have; its parts know what was said of them. */
        private final Set<String> said = new TreeSet<>();

        private Builder(@Nullable Class<C> type, String name) {
            this.type = type;
            this.name = name;
        }

        /** The identity of the command, unique in a container; default: the simple name of its class. */
        public Builder<C, R> name(String name) {
            this.name = name;
            return this;
        }

        /** The family it belongs to, for instance the dependency it calls; its label on every channel. Required. */
        public Builder<C, R> group(String group) {
            this.group = group;
            return this;
        }

        /** What the application exists for: shed last. The default. */
        public Builder<C, R> core() {
            said.add("criticality");
            this.criticality = Criticality.CORE;
            return this;
        }

        /** What the application can do without: shed first. */
        public Builder<C, R> nonCore() {
            said.add("criticality");
            this.criticality = Criticality.NON_CORE;
            return this;
        }

        /**
         * The command changes something. Its chain may have a template only, and when nobody waited for the end of its body
         * the run fails with {@link io.degradable.model.CommandException#outcomeUnknown()}: it may have been done.
         */
        public Builder<C, R> write() {
            this.effect = Effect.WRITE;
            this.operationId = null;
            return this;
        }

        /**
         * The command changes something, under an id by which the other side knows the operation and does it once, however
         * often it is asked. So it may have spares and caches, which must carry the id too, and a {@link Caches#pending}
         * answer.
         *
         * @param id the operation's id out of the command's arguments; must only compute, and give the same id each time.
         *     Without an id, or when this throws, the call is refused before anything is done
         */
        public Builder<C, R> operationId(Function<? super C, String> id) {
            this.effect = Effect.IDENTIFIED_WRITE;
            this.operationId = Objects.requireNonNull(id, "operationId must not be null");
            return this;
        }

        /**
         * The command checks what must not be taken for granted, such as somebody's rights: without a live answer the run
         * fails with a {@link io.degradable.model.TemporaryRefusalException}. No chain is allowed, null is a failure, and
         * when the refusal leaves the {@code run()} of another command, no stage of that command answers either.
         */
        public Builder<C, R> failClosed() {
            this.effect = Effect.FAIL_CLOSED;
            this.operationId = null;
            return this;
        }

        /** Runs the body on a thread of a pool. The default, with the group's pool, 10 threads and no queue. */
        public Builder<C, R> threadPool(Consumer<? super ThreadPoolSpec> pool) {
            this.pool = Objects.requireNonNull(pool, "threadPool must not be null");
            this.other = null;
            return this;
        }

        /** Runs the body on the caller's thread, 10 at once; the caller cannot leave before the body ends. */
        public Builder<C, R> semaphore() {
            return other(() -> new BulkheadSettings.Semaphore(BulkheadSettings.Semaphore.DEFAULT_LIMIT), null);
        }

        /** Runs the body on the caller's thread, so many at once; the caller cannot leave before the body ends. */
        public Builder<C, R> semaphore(int limit) {
            return other(() -> new BulkheadSettings.Semaphore(limit), "semaphore.limit");
        }

        /** Runs each body on a virtual thread of its own, so many at once; Java 21 or newer, refused below when it becomes known. */
        public Builder<C, R> virtualThreads(int limit) {
            return other(() -> new BulkheadSettings.VirtualThreads(limit), "virtualThreads.limit");
        }

        private Builder<C, R> other(Supplier<? extends BulkheadSettings> bulkhead, @Nullable String says) {
            this.other = bulkhead;
            this.otherSays = says;
            this.pool = null;
            return this;
        }

        /** How long the primary may take, waiting for a thread included; default 1 s. */
        public Builder<C, R> timeout(Duration timeout) {
            said.add("timeout");
            this.timeout = timeout;
            return this;
        }

        /** Lets the primary take as long as it wants. */
        public Builder<C, R> noTimeout() {
            said.add("timeout");
            this.timeout = GuardSettings.NO_TIMEOUT;
            return this;
        }

        /** How long a whole run may take, chain included; default: the timeout and the chain's budget together. */
        public Builder<C, R> deadline(Duration deadline) {
            said.add("deadline");
            this.deadline = deadline;
            return this;
        }

        /** Whether the worker is interrupted when nobody waits for it any more; default true. */
        public Builder<C, R> interruptOnTimeout(boolean interrupt) {
            said.add("interruptOnTimeout");
            this.interruptOnTimeout = interrupt;
            return this;
        }

        /** From which duration an answer counts as bad for the breaker; default: the timeout. */
        public Builder<C, R> slowCall(Duration slowCall) {
            said.add("slowCall");
            this.slowCall = Objects.requireNonNull(slowCall, "slowCall must not be null");
            return this;
        }

        /**
         * Promises that {@code run()} ends by itself within a time, at most the timeout, so that the command may be a spare
         * although it runs on a semaphore.
         */
        public Builder<C, R> boundedBy(Duration limit) {
            this.bounded = Objects.requireNonNull(limit, "boundedBy must not be null");
            return this;
        }

        /** When the dependency is left alone. */
        public Builder<C, R> circuitBreaker(Consumer<? super BreakerSpec> breaker) {
            this.breaker = Objects.requireNonNull(breaker, "circuitBreaker must not be null");
            this.noBreaker = false;
            return this;
        }

        /** Never leaves the dependency alone. */
        public Builder<C, R> noCircuitBreaker() {
            this.noBreaker = true;
            return this;
        }

        /** {@code run()} may be run several times for one call, as {@link #retry} does. */
        public Builder<C, R> repeatable() {
            this.repeatable = true;
            return this;
        }

        /**
         * Tries {@code run()} again when it has failed, before the chain is entered; for {@link #repeatable} commands only.
         * Default: never. A refusal or a timeout is not tried again.
         */
        public Builder<C, R> retry(Consumer<? super RetrySpec> retry) {
            this.retry = Objects.requireNonNull(retry, "retry must not be null");
            return this;
        }

        /** Takes null from {@code run()} for a failure. Default: null is an answer. */
        public Builder<C, R> nullIsFailure() {
            said.add("nullIsFailure");
            this.nullIsFailure = true;
            return this;
        }

        /**
         * How many of the calls that the primary answers also ask the copies and templates of the chain, so that somebody
         * notices when they would have no answer: 0 to 100 percent, default 1, 0 for none. Nobody gets to see what they say;
         * it is counted apart, see {@link io.degradable.state.StageView#rehearsal()}. Copies are looked up in memory before
         * the new one takes their place; templates are filled on another thread, one call of the command at a time.
         */
        public Builder<C, R> rehearse(double percentage) {
            said.add("rehearse");
            this.rehearsalPercentage = percentage;
            return this;
        }

        /** Failures that say that the request is wrong, beside {@code BadRequestException}: not counted, no stage. May be said more than once. */
        public Builder<C, R> ignore(Predicate<? super Throwable> which) {
            Objects.requireNonNull(which, "ignore must not be null");
            rules = new FailureRules(
                    either(rules.ignored(), which),
                    rules.fatal(),
                    rules.overloaded(),
                    rules.fallbackOn(),
                    rules.unknown());
            return this;
        }

        /** Failures that no stage may hide, beside every {@code Error}: counted, no stage. May be said more than once. */
        public Builder<C, R> fatal(Predicate<? super Throwable> which) {
            Objects.requireNonNull(which, "fatal must not be null");
            rules = new FailureRules(
                    rules.ignored(),
                    either(rules.fatal(), which),
                    rules.overloaded(),
                    rules.fallbackOn(),
                    rules.unknown());
            return this;
        }

        /**
         * Failures that say that the dependency sheds load: not counted as its failure, answered like a rejection. May be
         * said more than once.
         */
        public Builder<C, R> overloaded(Predicate<? super Throwable> which) {
            Objects.requireNonNull(which, "overloaded must not be null");
            rules = new FailureRules(
                    rules.ignored(),
                    rules.fatal(),
                    either(rules.overloaded(), which),
                    rules.fallbackOn(),
                    rules.unknown());
            return this;
        }

        /**
         * The failures that stages may answer for: "unavailable". All others reach the caller unchanged and are neither good
         * nor bad for the breaker. Default: every {@code Exception} is one. May be said more than once.
         */
        public Builder<C, R> fallbackOn(Predicate<? super Throwable> which) {
            Objects.requireNonNull(which, "fallbackOn must not be null");
            Predicate<? super Throwable> before = rules.fallbackOn();
            rules = new FailureRules(
                    rules.ignored(),
                    rules.fatal(),
                    rules.overloaded(),
                    before == null ? which : either(before, which),
                    rules.unknown());
            return this;
        }

        /**
         * Failures of a write after which nobody knows whether it was done. Default, to which it adds: an {@code IOException}
         * or a {@code TimeoutException}, wrapped or not, unless it says that no connection was made ({@code ConnectException},
         * {@code NoRouteToHostException}, {@code UnknownHostException}, a connect timeout of the JDK's HTTP client); an {@code
         * InterruptedException}; and what a write inside {@code run()} throws when its own outcome is unknown. May be said
         * more than once.
         */
        public Builder<C, R> unknownOn(Predicate<? super Throwable> which) {
            Objects.requireNonNull(which, "unknownOn must not be null");
            rules = new FailureRules(
                    rules.ignored(),
                    rules.fatal(),
                    rules.overloaded(),
                    rules.fallbackOn(),
                    either(rules.unknown(), which));
            return this;
        }

        private static Predicate<Throwable> either(
                Predicate<? super Throwable> one, Predicate<? super Throwable> other) {
            return failure -> one.test(failure) || other.test(failure);
        }

        /** The chain that answers when the primary does not. Default: none. */
        public Builder<C, R> fallback(Function<? super Start<C, R>, ? extends FallbackSpec<C, R>> fallback) {
            this.fallback = Objects.requireNonNull(fallback, "fallback must not be null");
            return this;
        }

        /**
         * The spec.
         *
         * @throws IllegalArgumentException when something is missing or contradicts itself; the message names field and value
         */
        public CommandSpec<C, R> build() {
            Require.name("command name", name);
            Require.that(
                    !name.equals(Container.OTHER),
                    "command name must not be " + Container.OTHER + ": names above a container's cap share it");
            try {
                return checked(Require.notNull("group", group, "say .group(\"...\")"));
            } catch (IllegalArgumentException contradiction) {
                throw new IllegalArgumentException(
                        "command " + name + ": " + contradiction.getMessage(), contradiction);
            }
        }

        private CommandSpec<C, R> checked(String group) {
            Require.name("group", group);
            Set<String> says = new TreeSet<>(said);
            GuardSettings guard = guard(group, says);
            if (bounded != null) {
                Require.positive("boundedBy", bounded);
                ChainRules.bounded(bounded, timeout);
            }
            Chain<C, R> chain = new Chain<>(name, guard, effect, operationId);
            if (fallback != null) {
                Require.that(fallback.apply(chain) == chain, "fallback must return the chain it was given");
                Require.that(!chain.stages().isEmpty(), "fallback has no stage: leave it out, or add one");
            }
            List<StageDefinition<C, R>> stages = List.copyOf(chain.stages());
            Require.that(
                    retry == null || repeatable,
                    "retry(...) needs repeatable(): say that run() may be run several times for one call");
            RetrySpec retries = new RetrySpec();
            if (retry != null) {
                retry.accept(retries);
                says.addAll(retries.said());
            }
            says.addAll(chain.said());
            if (repeatable) {
                says.add(CommandDeclaration.REPEATABLE);
            }
            if (effect == Effect.FAIL_CLOSED) {
                says.add("nullIsFailure");
            }
            CommandSettings settings = new CommandSettings(
                    new CommandKey(name, group),
                    criticality,
                    effect,
                    guard,
                    retry == null ? RetrySettings.NONE : retries.settings(),
                    deadline,
                    nullIsFailure || effect == Effect.FAIL_CLOSED,
                    rehearsalPercentage,
                    chain.budget(),
                    stages.stream().flatMap(stage -> stage.stages().stream()).toList(),
                    chain.shortCut());
            return new CommandSpec<>(
                    new CommandDefinition<>(
                            type,
                            settings,
                            rules,
                            (command, context) -> command.run(),
                            retries.predicate(),
                            stages,
                            says,
                            bounded),
                    bounded != null,
                    operationId);
        }

        private GuardSettings guard(String group, Set<String> says) {
            BreakerSpec circuit = BreakerSpec.of(noBreaker ? null : breaker);
            circuit.said().forEach(setting -> says.add("circuitBreaker." + setting));
            if (noBreaker) {
                says.add("circuitBreaker.enabled");
            }
            return new GuardSettings(
                    other == null ? pool(group, says) : named(other, says),
                    timeout,
                    interruptOnTimeout,
                    slowCall == null ? timeout : slowCall,
                    noBreaker ? BreakerSettings.DISABLED : circuit.build());
        }

        private BulkheadSettings named(Supplier<? extends BulkheadSettings> made, Set<String> says) {
            if (otherSays != null) {
                says.add(otherSays);
            }
            return made.get();
        }

        private BulkheadSettings pool(String group, Set<String> says) {
            ThreadPoolSpec spec = new ThreadPoolSpec(group, BulkheadSettings.ThreadPool.DEFAULT_SIZE);
            if (pool != null) {
                pool.accept(spec);
            }
            spec.said().forEach(setting -> says.add("pool." + setting));
            return spec.build();
        }
    }
}
