package io.degradable.internal.execution;

import io.degradable.cache.TieredCache;
import io.degradable.cache.TimedCache;
import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Copies;
import io.degradable.internal.stage.Memory;
import io.degradable.internal.stage.Rehearsal;
import io.degradable.internal.stage.Stage;
import io.degradable.model.Source;
import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
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

    private static final String REFILL = "refill";

    /** Where the guards come from. */
    interface Guards {

        Guard primary(CommandDefinition<?, ?> command, GuardSettings settings, Lasting lasting);

        Guard stage(CommandDefinition<?, ?> command, StageSettings stage, Lasting lasting);

        /** Whether they are shared by commands that come and go, so that nothing can be kept for one of them alone. */
        default boolean areShared() {
            return false;
        }
    }

    /** A guard of its own for each command and stage. */
    record OwnGuards(Parts parts) implements Guards {

        @Override
        public Guard primary(CommandDefinition<?, ?> command, GuardSettings settings, Lasting lasting) {
            return guard(
                    command.name(),
                    PRIMARY,
                    command,
                    settings,
                    command.settings().guard().bulkhead(),
                    lasting);
        }

        @Override
        public Guard stage(CommandDefinition<?, ?> command, StageSettings stage, Lasting lasting) {
            return guard(
                    command.name() + "/" + stage.name(),
                    stage.name(),
                    command,
                    stage.guard(),
                    declared(command, stage).guard().bulkhead(),
                    lasting);
        }

        private Guard guard(
                String owner,
                String stage,
                CommandDefinition<?, ?> command,
                GuardSettings settings,
                BulkheadSettings declared,
                Lasting lasting) {
            return lasting.guard(
                    stage,
                    settings,
                    () -> parts.guard(owner, command.settings().key(), stage, settings, declared, command.rules()));
        }

        private static StageSettings declared(CommandDefinition<?, ?> command, StageSettings now) {
            for (StageSettings stage : command.settings().stages()) {
                if (stage.name().equals(now.name())) {
                    return stage;
                }
            }
            return now; // one that is not of the chain
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
        return runtime(definition, new CallCounts(ticker.nanos()), new Tenure());
    }

    /** A command that is counted with others and goes with them. */
    <C, R> CommandRuntime<C, R> runtime(CommandDefinition<C, R> definition, CallCounts counts, Tenure tenure) {
        Lasting lasting = new Lasting();
        return new CommandRuntime<>(definition, container, wiring(definition, lasting), lasting, counts, tenure);
    }

    /** How a command works under the settings and the switches of now, going on with what it has kept. */
    <C, R> Wiring<C, R> wiring(CommandDefinition<C, R> definition, Lasting lasting) {
        Wiring<C, R> wiring = new Wired<>(definition, lasting).wiring();
        lasting.isWiredNow();
        return wiring;
    }

    /** One command while it is wired. */
    private final class Wired<C, R> {

        private final CommandDefinition<C, R> definition;
        private final Lasting lasting;
        private final CommandSettings settings;
        private final List<Memory<C, ?, R>> memories = new ArrayList<>();
        private final List<Stage<C, ?, R>> chain = new ArrayList<>();
        private @Nullable ShortCut<C, R> shortCut;

        Wired(CommandDefinition<C, R> definition, Lasting lasting) {
            this.definition = definition;
            this.lasting = lasting;
            this.settings = container.switchboard().effective(definition, lasting, guards.areShared());
        }

        Wiring<C, R> wiring() {
            for (StageDefinition<C, R> stage : definition.stages()) {
                if (stage instanceof StageDefinition.Cached<C, ?, R> cached) {
                    addCached(cached);
                } else {
                    chain.add(stage(stage));
                }
            }
            boolean rehearsed = settings.rehearsalPercentage() > 0 && !guards.areShared();
            Stage<C, R, R> primary = primary(rehearsed ? rehearsal() : null);
            return new Wiring<>(
                    settings,
                    primary,
                    chain,
                    shortCut,
                    retries(),
                    container.switchboard().routeOf(settings),
                    rehearsed,
                    container.isFollowed(),
                    ticker);
        }

        private Stage<C, R, R> primary(@Nullable Rehearsal<C> rehearsal) {
            Guard guard = guards.primary(definition, settings.guard(), lasting);
            StageSettings ofPrimary = StageSettings.of(
                    PRIMARY,
                    Source.PRIMARY,
                    settings.key().name(),
                    EntrySettings.byDefault(Source.PRIMARY),
                    guard.settings());
            return Stage.primary(
                            ofPrimary, guard, definition.run(), settings.nullIsFailure(), memories, rehearsal, ticker)
                    .with(lasting.record(PRIMARY), null, ticker.nanos());
        }

        /** What they may cost is bounded for each command, which takes one that stays. */
        private @Nullable Retries retries() {
            if (settings.retry().areOff() || guards.areShared()) {
                return null;
            }
            long now = ticker.nanos();
            return lasting.retries(
                    settings.retry(),
                    now,
                    () -> new Retries(
                            settings.retry(), definition.retryOn(), now, container.retriesDenied(settings.key())));
        }

        private @Nullable Rehearsal<C> rehearsal() {
            List<Stage<C, ?, ?>> copies = new ArrayList<>();
            List<Stage<C, ?, ?>> templates = new ArrayList<>();
            for (Stage<C, ?, R> stage : chain) {
                // What is only read costs nobody anything: copies in memory and templates.
                if (stage.guard().isInline()) {
                    (stage.settings().kind() == Source.CACHE ? copies : templates).add(stage);
                }
            }
            return copies.isEmpty() && templates.isEmpty()
                    ? null
                    : new Rehearsal<>(
                            settings.rehearsalPercentage(), copies, templates, lasting.filling, container::aside);
        }

        private Stage<C, ?, R> stage(StageDefinition<C, R> stage) {
            StageSettings declared = stage.settings();
            if (stage instanceof StageDefinition.SpareCommand<C, R> spare) {
                CommandRuntime<?, ?> itself = lasting.spare(declared.name(), () -> container.command(spare.spare()));
                Guard itsOwn = itself.wiring().primary().guard();
                StageReason closed = Switchboard.closedAsSpare(itself);
                return kept(
                        Stage.spare(
                                now(declared).under(itsOwn.settings()),
                                itsOwn,
                                spare.call(),
                                spare.onFailure(),
                                ticker),
                        closed);
            }
            StageSettings now = now(declared);
            Guard guard = guards.stage(definition, now, lasting);
            return kept(stage(stage, now, guard), null);
        }

        private Stage<C, ?, R> stage(StageDefinition<C, R> stage, StageSettings now, Guard guard) {
            if (stage instanceof StageDefinition.SpareFunction<C, R> spare) {
                return Stage.spare(now, guard, spare.call(), spare.onFailure(), ticker);
            }
            if (stage instanceof StageDefinition.Constant<C, R> constant) {
                Supplier<? extends R> value = live(constant.template());
                return Stage.constant(now, guard, value, constant.onFailure(), ticker);
            }
            if (stage instanceof StageDefinition.Filled<C, ?, R> filled) {
                return filled(now, guard, filled);
            }
            if (stage instanceof StageDefinition.Snapshot<C, ?, R> snapshot) {
                return snapshot(now, guard, snapshot);
            }
            StageDefinition.Computed<C, R> computed = (StageDefinition.Computed<C, R>) stage;
            return Stage.template(now, guard, computed.fill(), computed.onFailure(), ticker);
        }

        private <T> Stage<C, ?, R> filled(StageSettings now, Guard guard, StageDefinition.Filled<C, T, R> filled) {
            LiveTemplate<T> value = live(filled.template());
            return Stage.template(
                    now, guard, arguments -> filled.fill().fill(value.get(), arguments), filled.onFailure(), ticker);
        }

        private <K> Stage<C, ?, R> snapshot(
                StageSettings now, Guard guard, StageDefinition.Snapshot<C, K, R> snapshot) {
            Supplier<? extends R> otherwise = live(snapshot.template());
            return Stage.snapshot(
                    now, guard, snapshot.snapshot(), snapshot.key(), otherwise, snapshot.onFailure(), ticker);
        }

        private <T> LiveTemplate<T> live(StaticTemplate<T> template) {
            return container.templates().live(template, settings.key());
        }

        private <K> void addCached(StageDefinition.Cached<C, K, R> cached) {
            TimedCache<K, R> cache = parts.cache(cached.cache());
            memories.add(new Memory<>(cache, cached.key()));
            StageSettings memory = now(cached.settings());
            StageSettings store = cached.store();
            StageSettings atLast = cached.atLast();
            // Above the cap on names there is memory only: a pool for each store would be the flood that the cap is to
            // stop.
            if (cache instanceof TieredCache<K, R> tiered && store != null && atLast != null && !guards.areShared()) {
                tiered.isReadUpTo(memory.freshness());
                chain.add(copies(memory, cached, tiered::near, cache));
                chain.add(copies(now(store), cached, tiered::readStore, cache));
                chain.add(copies(now(atLast), cached, cache::read, cache));
            } else {
                chain.add(copies(memory, cached, cache::read, cache));
            }
            ShortCutSettings before = settings.shortCut();
            if (before != null
                    && before.cache().equals(memory.name())
                    && !guards.areShared()) { // what is kept of keys in flight takes a command that stays
                shortCut = shortCut(before, cached, cache);
            }
        }

        private <K> ShortCut<C, R> shortCut(
                ShortCutSettings before, StageDefinition.Cached<C, K, R> cached, TimedCache<K, R> cache) {
            StageSettings memory = now(cached.settings());
            StageSettings store = cached.store();
            long youngNanos = Spans.nanos(before.youngerThan());
            TieredCache<K, R> tiered = cache instanceof TieredCache<K, R> behind && store != null ? behind : null;
            Copies<K, R> near = tiered == null ? cache::read : tiered::near;
            return new ShortCut<>(
                    cached.key(),
                    copies(memory.named(YOUNG), cached, new YoungCopies<>(near, youngNanos, lasting.flights()), cache),
                    tiered == null || store == null
                            ? null
                            : copies(
                                    now(store).named(YOUNG_STORE),
                                    cached,
                                    new YoungCopies<>(tiered::readStore, youngNanos, null),
                                    cache),
                    copies(memory.named(FETCHED), cached, cache::read, cache),
                    lasting.flights(),
                    lasting.record(REFILL).quota(before.refillPerSecond(), ticker.nanos()),
                    container.switchboard().closedByHand(settings.key().name(), memory.name()) != null);
        }

        private <K> Stage<C, ?, R> copies(
                StageSettings now,
                StageDefinition.Cached<C, K, R> cached,
                Copies<K, R> copies,
                TimedCache<K, R> cache) {
            Guard guard = guards.stage(definition, now, lasting);
            return kept(Stage.cached(now, guard, copies, cache, cached.key(), cached.onFailure(), ticker), null);
        }

        /** Going on with what the stage of that name has kept, and closed if a hand wants it so. */
        private <V> Stage<C, V, R> kept(Stage<C, V, R> stage, @Nullable StageReason closed) {
            String name = stage.settings().name();
            StageReason byHand =
                    container.switchboard().closedByHand(settings.key().name(), name);
            return stage.with(lasting.record(name), byHand == null ? closed : byHand, ticker.nanos());
        }

        /** The settings that a stage has now. */
        private StageSettings now(StageSettings declared) {
            for (StageSettings stage : settings.stages()) {
                if (stage.name().equals(declared.name())) {
                    return stage;
                }
            }
            return declared;
        }
    }
}
