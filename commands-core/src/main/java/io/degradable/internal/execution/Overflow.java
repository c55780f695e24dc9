package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.Bulkhead;
import io.degradable.internal.bulkhead.SemaphoreBulkhead;
import io.degradable.internal.guard.FailureRules;
import io.degradable.internal.guard.Guard;
import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.Source;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.RetrySettings;
import io.degradable.settings.StageSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * What the commands above the cap on names share: one key that is shown and counted, one breaker, one bulkhead of each kind
 * for all primaries and one for all spares that are functions. Each keeps its own body, chain and timeout. So a flood of names
 * costs neither memory nor protection.
 *
 * <p>Threading: guarded by the container.
 */
final class Overflow implements Assembly.Guards {

    private static final BulkheadSettings.ThreadPool POOL = pool(Container.OTHER);
    private static final BulkheadSettings.Semaphore SEMAPHORE =
            new BulkheadSettings.Semaphore(BulkheadSettings.Semaphore.DEFAULT_LIMIT);
    private static final GuardSettings PRIMARY = guard(POOL);
    private static final StageSettings SPARE = StageSettings.of(
            "spare",
            Source.SPARE,
            "spare",
            EntrySettings.byDefault(Source.CACHE),
            guard(pool(Container.OTHER + "/spare")));

    private final Container container;
    private final Assembly.Guards own;
    private final Assembly assembly;
    private final CommandRuntime<Object, Object> other;
    private final Guard primaries;
    private final Guard spares;
    private final Bulkhead semaphore = new SemaphoreBulkhead(SEMAPHORE.limit());
    private Tenure tenure = new Tenure();

    /** As long as their specs know them. */
    private final Map<CommandRuntime<?, ?>, Boolean> sharers = new WeakHashMap<>();

    Overflow(Container container, Parts parts) {
        this.container = container;
        this.own = new Assembly.OwnGuards(parts);
        CommandSettings settings = new CommandSettings(
                new CommandKey(Container.OTHER, Container.OTHER),
                Criticality.CORE,
                Effect.READ,
                PRIMARY,
                RetrySettings.NONE,
                GuardSettings.NO_TIMEOUT,
                false,
                0,
                CommandSettings.DEFAULT_BUDGET,
                List.of(SPARE),
                null);
        CommandDefinition<Object, Object> definition = new CommandDefinition<>(
                null,
                settings,
                FailureRules.DEFAULT,
                (command, context) -> noBody(),
                null,
                List.of(new StageDefinition.SpareFunction<>(SPARE, (command, context) -> noBody(), null)),
                Set.of(),
                null);
        this.other = new Assembly(container, parts, own).runtime(definition);
        other.pin();
        this.primaries = other.wiring().primary().guard();
        this.spares = other.wiring().chain().get(0).guard();
        this.assembly = new Assembly(container, parts, this);
    }

    @Override
    public boolean areShared() {
        return true;
    }

    private static Object noBody() {
        throw new AssertionError(Container.OTHER + " has no body: those who share it have their own");
    }

    private static BulkheadSettings.ThreadPool pool(String name) {
        return new BulkheadSettings.ThreadPool(
                name, BulkheadSettings.ThreadPool.DEFAULT_SIZE, BulkheadSettings.ThreadPool.DEFAULT_QUEUE);
    }

    private static GuardSettings guard(BulkheadSettings bulkhead) {
        return new GuardSettings(
                bulkhead,
                CommandSettings.DEFAULT_TIMEOUT,
                true,
                CommandSettings.DEFAULT_TIMEOUT,
                BreakerSettings.DEFAULT);
    }

    /** The command that shows what is shared. */
    CommandRuntime<?, ?> other() {
        return other;
    }

    /** A command that shares. It is not kept anywhere. */
    <C, R> CommandRuntime<C, R> runtime(CommandDefinition<C, R> definition) {
        for (StageDefinition<C, R> stage : definition.stages()) {
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                container.command(spare.spare()).pin(); // nobody would know that it is used
            }
        }
        CommandRuntime<C, R> made = assembly.runtime(definition, other.counts(), tenure);
        sharers.put(made, true);
        return made;
    }

    /** The group of one who shares; empty when there is none of that name. */
    String groupOf(String command) {
        return sharers.keySet().stream()
                .map(sharer -> sharer.definition().settings().key())
                .filter(key -> key.name().equals(command))
                .map(CommandKey::group)
                .findFirst()
                .orElse("");
    }

    /** Wires those who share anew. */
    void wireAnew() {
        for (CommandRuntime<?, ?> sharer : List.copyOf(sharers.keySet())) {
            wireAnew(sharer);
        }
    }

    private <C, R> void wireAnew(CommandRuntime<C, R> sharer) {
        sharer.wire(assembly.wiring(sharer.definition(), sharer.lasting()));
    }

    /** Those who share look up anew. */
    void end() {
        tenure.end();
        tenure = new Tenure();
    }

    @Override
    public Guard primary(CommandDefinition<?, ?> command, GuardSettings settings, Lasting lasting) {
        return shared(primaries, POOL, settings, command.rules());
    }

    @Override
    public Guard stage(CommandDefinition<?, ?> command, StageSettings stage, Lasting lasting) {
        return stage.kind() == Source.SPARE
                ? shared(
                        spares,
                        (BulkheadSettings.ThreadPool) spares.settings().bulkhead(),
                        stage.guard(),
                        command.rules())
                : own.stage(command, stage, lasting); // in memory, without a name
    }

    private Guard shared(Guard with, BulkheadSettings.ThreadPool pool, GuardSettings own, FailureRules rules) {
        boolean onCaller = own.bulkhead() instanceof BulkheadSettings.Semaphore;
        GuardSettings settings = new GuardSettings(
                onCaller ? SEMAPHORE : pool, own.timeout(), own.interruptOnTimeout(), own.slowCall(), own.breaker());
        return with.sharing(settings, onCaller ? semaphore : with.bulkhead(), rules);
    }
}
