package io.degradable.internal.execution;

import io.degradable.cache.TieredCache;
import io.degradable.cache.TimedCache;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Copies;
import io.degradable.internal.stage.Memory;
import io.degradable.internal.stage.Quota;
import io.degradable.internal.stage.Rehearsal;
import io.degradable.internal.stage.Stage;
import io.degradable.model.Source;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.ShortCutSettings;
import io.degradable.settings.StageSettings;
import io.degradable.template.StaticTemplate;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/** Makes a command out of its definition: a stage for each link of its chain, a guard for each stage. */
final class Assembly {

    static final String PRIMARY = "primary";

    /** Before the primary: copies that are young enough, in memory and in the store. */
    static final String YOUNG = "young";

    static final String YOUNG_STORE = "young-store";

    /** And what another run has just fetched. */
    static final String FETCHED = "fetched";

    /** Where the guards come from. */
    interface Guards {

        Guard primary(CommandDefinition<?, ?> command);

        Guard stage(CommandDefinition<?, ?> command, StageSettings stage);

        /** Whether they are shared by commands that come and go, so that nothing can be kept for one of them alone. */
        default boolean areShared() {
            return false;
        }
    }

    /** A guard of its own for each command and stage. */
    record OwnGuards(Parts parts) implements Guards {

        @Override
        public Guard primary(CommandDefinition<?, ?> command) {
            return parts.guard(
                    command.name(),
                    command.settings().key(),
                    PRIMARY,
                    command.settings().guard(),
                    command.rules());
        }

        @Override
        public Guard stage(CommandDefinition<?, ?> command, StageSettings stage) {
            return parts.guard(
                    command.name() + "/" + stage.name(),
                    command.settings().key(),
                    stage.name(),
                    stage.guard(),
                    command.rules());
        }
    }

    private final Container container;
    private final Parts parts;
    private final Guards guards;
    private final Ticker ticker;

    Assembly(Container container, Parts parts, Guards guards) {
        this.container = container;
        this.parts = parts;
        this.guards = guards;
        this.ticker = container.ticker();
    }

    /** A command of its own. */
    <C, R> CommandRuntime<C, R> runtime(CommandDefinition<C, R> definition) {
        CallCounts counts = new CallCounts(ticker.nanos());
        return runtime(definition, counts, new Tenure());
    }

    /** A command that is counted with others and goes with them. */
    <C, R> CommandRuntime<C, R> runtime(CommandDefinition<C, R> definition, CallCounts counts, Tenure tenure) {
        CommandSettings settings = definition.settings();
        List<Memory<C, ?, R>> memories = new ArrayList<>();
        ShortCut<C, R> shortCut = null;
        List<Stage<C, ?, R>> chain = new ArrayList<>();
        for (StageDefinition<C, R> stage : definition.stages()) {
            if (stage instanceof StageDefinition.Cached<C, ?, R> cached) {
                addCached(chain, cached, definition, memories);
                ShortCutSettings before = settings.shortCut();
                if (before != null
                        && before.cache().equals(cached.settings().name())
                        && !guards.areShared()) { // what is kept of keys in flight takes a command that stays
                    shortCut = shortCut(before, cached, definition);
                }
            } else {
                chain.add(stage(stage, definition));
            }
        }
        Guard guard = guards.primary(definition);
        // What they may cost is bounded for each command, which takes one that stays.
        boolean retried = !settings.retry().areOff() && !guards.areShared();
        boolean rehearsed = settings.rehearsalPercentage() > 0 && !guards.areShared();
        Stage<C, R, R> primary = Stage.primary(
                StageSettings.of(
                        PRIMARY,
                        Source.PRIMARY,
                        settings.key().name(),
                        EntrySettings.byDefault(Source.PRIMARY),
                        settings.guard()),
                guard,
                definition.run(),
                settings.nullIsFailure(),
                memories,
                rehearsed ? rehearsal(settings, chain) : null,
                ticker);
        Retries retries = !retried
                ? null
                : new Retries(
                        settings.retry(),
                        definition.retryOn(),
                        ticker.nanos(),
                        container.retriesDenied(settings.key()));
        return new CommandRuntime<>(
                definition, container, primary, chain, shortCut, retries, rehearsed, counts, tenure);
    }

    private <C, R> @Nullable Rehearsal<C> rehearsal(CommandSettings settings, List<Stage<C, ?, R>> chain) {
        List<Stage<C, ?, ?>> copies = new ArrayList<>();
        List<Stage<C, ?, ?>> templates = new ArrayList<>();
        for (Stage<C, ?, R> stage : chain) {
            if (stage.guard().isInline()) { // what is only read costs nobody anything: copies in memory and templates
                (stage.settings().kind() == Source.CACHE ? copies : templates).add(stage);
            }
        }
        return copies.isEmpty() && templates.isEmpty()
                ? null
                : new Rehearsal<>(settings.rehearsalPercentage(), copies, templates, container::aside);
    }

    private <C, R> Stage<C, ?, R> stage(StageDefinition<C, R> stage, CommandDefinition<C, R> command) {
        StageSettings settings = stage.settings();
        if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
            Guard itsOwn = container.command(spare.spare()).primary().guard();
            return Stage.spare(settings, itsOwn, spare.call(), spare.onFailure(), ticker);
        }
        Guard guard = guards.stage(command, settings);
        if (stage instanceof StageDefinition.SpareFunction<C, R> spare) {
            return Stage.spare(settings, guard, spare.call(), spare.onFailure(), ticker);
        }
        if (stage instanceof StageDefinition.Constant<C, R> constant) {
            Supplier<? extends R> value = live(constant.template(), command);
            return Stage.constant(settings, guard, value, constant.onFailure(), ticker);
        }
        if (stage instanceof StageDefinition.Filled<C, ?, R> filled) {
            return filled(settings, guard, filled, command);
        }
        if (stage instanceof StageDefinition.Snapshot<C, ?, R> snapshot) {
            return snapshot(settings, guard, snapshot, command);
        }
        StageDefinition.Computed<C, R> computed = (StageDefinition.Computed<C, R>) stage;
        return Stage.template(settings, guard, computed.fill(), computed.onFailure(), ticker);
    }

    private <C, T, R> Stage<C, ?, R> filled(
            StageSettings settings,
            Guard guard,
            StageDefinition.Filled<C, T, R> filled,
            CommandDefinition<C, R> command) {
        LiveTemplate<T> value = live(filled.template(), command);
        return Stage.template(
                settings, guard, arguments -> filled.fill().fill(value.get(), arguments), filled.onFailure(), ticker);
    }

    private <C, K, R> Stage<C, ?, R> snapshot(
            StageSettings settings,
            Guard guard,
            StageDefinition.Snapshot<C, K, R> snapshot,
            CommandDefinition<C, R> command) {
        Supplier<? extends R> otherwise = live(snapshot.template(), command);
        return Stage.snapshot(
                settings, guard, snapshot.snapshot(), snapshot.key(), otherwise, snapshot.onFailure(), ticker);
    }

    private <T> LiveTemplate<T> live(StaticTemplate<T> template, CommandDefinition<?, ?> command) {
        return container.templates().live(template, command.settings().key());
    }

    private <C, K, R> void addCached(
            List<Stage<C, ?, R>> chain,
            StageDefinition.Cached<C, K, R> cached,
            CommandDefinition<C, R> command,
            List<Memory<C, ?, R>> memories) {
        TimedCache<K, R> cache = parts.cache(cached.cache());
        memories.add(new Memory<>(cache, cached.key()));
        StageSettings memory = cached.settings();
        StageSettings store = cached.store();
        StageSettings atLast = cached.atLast();
        // Above the cap on names there is memory only: a pool for each store would be the flood that the cap is to
        // stop.
        if (cache instanceof TieredCache<K, R> tiered && store != null && atLast != null && !guards.areShared()) {
            tiered.isReadUpTo(memory.freshness());
            chain.add(copies(memory, cached, command, tiered::near, cache));
            chain.add(copies(store, cached, command, tiered::readStore, cache));
            chain.add(copies(atLast, cached, command, cache::read, cache));
        } else {
            chain.add(copies(memory, cached, command, cache::read, cache));
        }
    }

    private <C, K, R> ShortCut<C, R> shortCut(
            ShortCutSettings before, StageDefinition.Cached<C, K, R> cached, CommandDefinition<C, R> command) {
        TimedCache<K, R> cache = parts.cache(cached.cache());
        StageSettings store = cached.store();
        Flights flights = new Flights();
        long youngNanos = Spans.nanos(before.youngerThan());
        TieredCache<K, R> tiered = cache instanceof TieredCache<K, R> behind && store != null ? behind : null;
        Copies<K, R> memory = tiered == null ? cache::read : tiered::near;
        return new ShortCut<>(
                cached.key(),
                copies(
                        cached.settings().named(YOUNG),
                        cached,
                        command,
                        new YoungCopies<>(memory, youngNanos, flights),
                        cache),
                tiered == null || store == null
                        ? null
                        : copies(
                                store.named(YOUNG_STORE),
                                cached,
                                command,
                                new YoungCopies<>(tiered::readStore, youngNanos, null),
                                cache),
                copies(cached.settings().named(FETCHED), cached, command, cache::read, cache),
                flights,
                before.refillPerSecond() == 0 ? null : new Quota(before.refillPerSecond(), ticker.nanos()));
    }

    private <C, K, R> Stage<C, ?, R> copies(
            StageSettings settings,
            StageDefinition.Cached<C, K, R> cached,
            CommandDefinition<C, R> command,
            Copies<K, R> copies,
            TimedCache<K, R> cache) {
        Guard guard = guards.stage(command, settings);
        return Stage.cached(settings, guard, copies, cache, cached.key(), cached.onFailure(), ticker);
    }
}
