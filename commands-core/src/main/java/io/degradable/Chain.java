package io.degradable;

import io.degradable.cache.CacheSpec;
import io.degradable.internal.execution.StageDefinition;
import io.degradable.internal.stage.LiveCall;
import io.degradable.model.FallbackContext;
import io.degradable.model.Source;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.ChainRules;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.Entering;
import io.degradable.settings.EntrySettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.Require;
import io.degradable.settings.ShortCutSettings;
import io.degradable.settings.StageSettings;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateFill;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.Nullable;

/** Collects the stages of one chain. It is all the steps at once; what a user sees of it is the step he is at. */
final class Chain<C, R> implements Start<C, R>, Spares<C, R>, Caches<C, R>, FallbackSpec<C, R> {

    private final String command;
    private final GuardSettings primary;
    private final Effect effect;
    private final @Nullable Function<? super C, String> operationId;

    private final List<StageDefinition<C, R>> stages = new ArrayList<>();
    private final Set<String> names = new HashSet<>(Set.of("primary", "young", "young-store", "fetched"));
    private final Set<String> said = new TreeSet<>();
    private Duration budget = CommandSettings.DEFAULT_BUDGET;
    private @Nullable ShortCutSettings shortCut;

    Chain(String command, GuardSettings primary, Effect effect, @Nullable Function<? super C, String> operationId) {
        this.command = command;
        this.primary = primary;
        this.effect = effect;
        this.operationId = operationId;
    }

    Duration budget() {
        return budget;
    }

    /** The names of the settings that were set. */
    Set<String> said() {
        return said;
    }

    private void said(String stage, EntrySpec<?> spec) {
        spec.said.forEach(setting -> said.add("stage." + stage + "." + setting));
    }

    List<StageDefinition<C, R>> stages() {
        return stages;
    }

    @Nullable
    ShortCutSettings shortCut() {
        return shortCut;
    }

    @Override
    public Spares<C, R> within(Duration budget) {
        said.add("budget");
        this.budget = Require.positive("budget of the chain (within)", budget);
        return this;
    }

    @Override
    public <S extends DegradableCommand<? extends R>> Spares<C, R> spare(
            CommandSpec<S, ? extends R> spec,
            Function<? super C, ? extends S> command,
            Consumer<? super SpareSpec> spare) {
        Objects.requireNonNull(spec, "the spec of a spare must not be null");
        Objects.requireNonNull(command, () -> "the command of spare " + spec.name() + " must not be null");
        return addSpare(spec, (arguments, context) -> made(command, arguments).run(), spare);
    }

    @Override
    public <S extends DegradableCommand<T>, T> Spares<C, R> spareMapped(
            CommandSpec<S, T> spec,
            Function<? super C, ? extends S> command,
            Function<? super T, ? extends R> map,
            Consumer<? super SpareSpec> spare) {
        Objects.requireNonNull(spec, "the spec of a spare must not be null");
        Objects.requireNonNull(command, () -> "the command of spare " + spec.name() + " must not be null");
        Objects.requireNonNull(map, () -> "the map of spare " + spec.name() + " must not be null");
        LiveCall<C, R> call = (arguments, context) -> {
            T answer = made(command, arguments).run();
            return answer == null ? null : map.apply(answer);
        };
        return addSpare(spec, call, spare);
    }

    private static <C, S> S made(Function<? super C, ? extends S> factory, C arguments) {
        return Objects.requireNonNull(factory.apply(arguments), "the spare's factory returned null");
    }

    private Spares<C, R> addSpare(CommandSpec<?, ?> spec, LiveCall<C, R> call, Consumer<? super SpareSpec> customizer) {
        Objects.requireNonNull(customizer, () -> "the settings of spare " + spec.name() + " must not be null");
        Require.that(!spec.name().equals(command), "spare " + spec.name() + " has the name of the command itself");
        GuardSettings guard = spec.definition().settings().guard();
        Require.that(
                !guard.runsOnCaller() || spec.isBounded(),
                "spare " + spec.name() + " can block, so it must not run on a semaphore of "
                        + CommandSpec.boundOf(guard.bulkhead())
                        + ": give it a thread pool, or say boundedBy(...) if its body ends by itself");
        requireOwnPool("spare " + spec.name(), guard);
        SpareSpec entry = new SpareSpec(CommandSpec.boundOf(primary.bulkhead()));
        customizer.accept(entry);
        String name = nextName("spare");
        said(name, entry);
        StageSettings settings = StageSettings.of(name, Source.SPARE, spec.name(), entry.entry(), guard);
        stages.add(new StageDefinition.SpareCommand<>(settings, spec.definition(), call, entry.onFailure()));
        return this;
    }

    @Override
    public Spares<C, R> spareCall(
            String name, StageCall<? super C, ? extends R> call, Consumer<? super StageSpec> customizer) {
        Require.name("stage name", name);
        Objects.requireNonNull(call, () -> "the call of spare " + name + " must not be null");
        Objects.requireNonNull(customizer, () -> "the settings of spare " + name + " must not be null");
        ownName(name);
        StageSpec spec = new StageSpec(Source.SPARE);
        customizer.accept(spec);
        spec.requireNoShortCut("spare " + name);
        GuardSettings guard = spec.guard(command + "/" + name, primary, budget);
        requireOwnPool("spare " + name, guard);
        said(name, spec);
        LiveCall<C, R> live = (arguments, context) -> call.call(arguments, required(context));
        stages.add(new StageDefinition.SpareFunction<>(
                StageSettings.of(name, Source.SPARE, name, spec.entry(), guard), live, spec.onFailure()));
        return this;
    }

    private static FallbackContext required(@Nullable FallbackContext context) {
        return Objects.requireNonNull(context, "a stage of the chain has a context");
    }

    private void requireOwnPool(String stage, GuardSettings guard) {
        if (guard.bulkhead() instanceof BulkheadSettings.ThreadPool its
                && primary.bulkhead() instanceof BulkheadSettings.ThreadPool ours) {
            Require.that(
                    !its.name().equals(ours.name()),
                    stage + " must not share the primary's thread pool " + ours.name()
                            + ": whatever fills that pool would take it down, too");
        }
    }

    @Override
    public <K> Caches<C, R> cached(
            CacheSpec<K, R> cache,
            Function<? super C, ? extends K> key,
            Duration freshness,
            Consumer<? super StageSpec> customizer) {
        Objects.requireNonNull(cache, "the spec of a cache must not be null");
        Objects.requireNonNull(key, () -> "the key of cache " + cache.name() + " must not be null");
        Objects.requireNonNull(customizer, () -> "the settings of cache " + cache.name() + " must not be null");
        Require.positive("freshness of " + cache.name(), freshness);
        StageSpec spec = new StageSpec(Source.CACHE);
        customizer.accept(spec);
        Require.that(
                cache.isStored() || !(spec.setsMoreThanEntry() || spec.allowNull),
                "cache " + cache.name()
                        + " is local and read in memory: it takes no thread pool, timeout, breaker or allowNull()");
        Require.that(!spec.allowNull, "cache " + cache.name() + " keeps no null, so it takes no allowNull()");
        Duration keepFor = cache.settings().keepFor();
        ChainRules.freshness(cache.name(), freshness, keepFor);
        String name = nextName("cache");
        GuardSettings store = cache.isStored() ? store(cache, name + StageSettings.STORE, spec) : null;
        ShortCutSettings before = spec.shortCut(name, freshness);
        Require.that(before == null || shortCut == null, "beforePrimary(...) is for one cache of a chain");
        shortCut = before == null ? shortCut : before;
        said(name, spec, before);
        stages.add(new StageDefinition.Cached<>(
                copies(name, cache, freshness, spec, GuardSettings.INLINE),
                store == null ? null : copies(ownName(name + StageSettings.STORE), cache, freshness, spec, store),
                store == null
                        ? null
                        : copies(ownName(name + StageSettings.AT_LAST), cache, freshness, spec, GuardSettings.INLINE),
                cache,
                key,
                spec.onFailure()));
        return this;
    }

    /** Memory is said what all of the cache's stages are; its store has what a guard has, too. */
    private void said(String name, StageSpec spec, @Nullable ShortCutSettings before) {
        said.add("stage." + name + ".freshness");
        for (String setting : spec.said) {
            boolean entry = setting.equals("on") || setting.equals("atMost");
            said.add("stage." + (entry ? name : name + StageSettings.STORE) + "." + setting);
        }
        if (before != null) {
            said.add("beforePrimary.youngerThan");
        }
        if (spec.setsRefill()) {
            said.add("beforePrimary.refill");
        }
    }

    private static StageSettings copies(
            String name, CacheSpec<?, ?> cache, Duration freshness, StageSpec spec, GuardSettings guard) {
        return new StageSettings(name, Source.CACHE, cache.name(), freshness, spec.entry(), guard);
    }

    private GuardSettings store(CacheSpec<?, ?> cache, String name, StageSpec spec) {
        GuardSettings guard = spec.storeGuard(command + "/" + name, budget);
        requireOwnPool("the store of cache " + cache.name(), guard);
        return guard;
    }

    private String ownName(String name) {
        Require.that(names.add(name), "stage " + name + " is there already");
        return name;
    }

    @Override
    public Caches<C, R> pending(BiFunction<? super C, ? super String, ? extends R> answer) {
        Objects.requireNonNull(answer, "pending must not be null");
        Function<? super C, String> id = Require.notNull(
                "operationId", operationId, "a pending answer names the operation, say operationId(...) before");
        Require.that(names.add("pending"), "pending(...) is there already");
        EntrySettings entry = EntrySettings.byDefault(Source.STATIC).entering(Entering.WHEN_UNKNOWN);
        stages.add(new StageDefinition.Computed<>(
                StageSettings.of("pending", Source.STATIC, "pending", entry, GuardSettings.INLINE),
                arguments -> answer.apply(
                        arguments, Objects.requireNonNull(id.apply(arguments), "the operation's id is null")),
                null));
        return this;
    }

    @Override
    public FallbackSpec<C, R> template(
            StaticTemplate<? extends R> template, Consumer<? super TemplateSpec> customizer) {
        Objects.requireNonNull(template, "template must not be null");
        TemplateSpec stage = customized(template.name(), customizer);
        stages.add(new StageDefinition.Constant<>(settings(template.name(), stage), template, stage.onFailure()));
        return this;
    }

    @Override
    public <T extends R> FallbackSpec<C, R> template(
            StaticTemplate<T> template,
            TemplateFill<? super T, ? super C, ? extends R> fill,
            Consumer<? super TemplateSpec> customizer) {
        Objects.requireNonNull(template, "template must not be null");
        Objects.requireNonNull(fill, () -> "the fill of template " + template.name() + " must not be null");
        TemplateSpec stage = customized(template.name(), customizer);
        stages.add(new StageDefinition.Filled<>(settings(template.name(), stage), template, fill, stage.onFailure()));
        return this;
    }

    @Override
    public <K> FallbackSpec<C, R> template(
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            StaticTemplate<? extends R> otherwise,
            Consumer<? super TemplateSpec> customizer) {
        Objects.requireNonNull(snapshot, "snapshot must not be null");
        String name = Require.name("snapshot name", snapshot.name());
        Objects.requireNonNull(key, () -> "the key of snapshot " + name + " must not be null");
        Objects.requireNonNull(otherwise, () -> "the template behind snapshot " + name + " must not be null");
        TemplateSpec stage = customized(name, customizer);
        stages.add(new StageDefinition.Snapshot<>(settings(name, stage), snapshot, key, otherwise, stage.onFailure()));
        return this;
    }

    private static TemplateSpec customized(String template, Consumer<? super TemplateSpec> customizer) {
        Objects.requireNonNull(customizer, () -> "the settings of template " + template + " must not be null");
        TemplateSpec stage = new TemplateSpec();
        customizer.accept(stage);
        return stage;
    }

    private StageSettings settings(String template, TemplateSpec stage) {
        EntrySettings entry = effect.writes() ? stage.entry().entering(Entering.WHEN_KNOWN) : stage.entry();
        String name = nextName("static");
        said(name, stage);
        return StageSettings.of(name, Source.STATIC, template, entry, GuardSettings.INLINE);
    }

    /** {@code spare}, {@code spare-2}, {@code spare-3}. */
    private String nextName(String kind) {
        String name = kind;
        for (int number = 2; !names.add(name); number++) {
            name = kind + "-" + number;
        }
        return name;
    }
}
