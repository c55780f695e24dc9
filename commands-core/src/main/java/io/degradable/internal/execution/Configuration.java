package io.degradable.internal.execution;

import io.degradable.control.Change;
import io.degradable.control.Position;
import io.degradable.control.Target;
import io.degradable.control.Target.Kind;
import io.degradable.internal.control.ChangeLog;
import io.degradable.internal.control.FromConfiguration;
import io.degradable.settings.BulkheadSettings.ThreadPool;
import io.degradable.settings.CommandDeclaration;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.ControlText;
import io.degradable.settings.EffectivePool;
import io.degradable.settings.EffectiveSettings;
import io.degradable.settings.Origin;
import io.degradable.settings.Origin.From;
import io.degradable.settings.PoolDeclaration;
import io.degradable.settings.SettingFault;
import io.degradable.settings.SettingResolver;
import io.degradable.settings.SettingSource;
import io.degradable.settings.SettingTexts;
import io.degradable.settings.StageSettings;
import io.degradable.state.ConfigurationView;
import io.degradable.time.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * What the sources of settings say, and what that comes to for the commands and pools of a container. There is one
 * subscription to each source, however many commands there are; what is kept for a command goes with it.
 *
 * <p>Threading: {@link #settings} and {@link #pool} belong to who holds the container's lock; what follows a reading is done
 * by one thread at a time; all others may be called from any thread.
 */
final class Configuration {

    private static final String OF_ALL_COMMANDS = ".command.default.";

    /** A pool as it became known, and what it is set to. */
    private record Pool(PoolDeclaration declared, EffectivePool now) {}

    private final Container container;
    private final Switchboard switchboard;
    private final ChangeLog log;
    private final Sources sources;
    private final Map<String, Pool> pools = new ConcurrentHashMap<>();
    private final Set<SettingFault> told = ConcurrentHashMap.newKeySet();
    private final Map<String, CommandDefinition<?, ?>> awaited = new ConcurrentHashMap<>();
    private volatile SettingTexts texts = SettingTexts.NONE;

    Configuration(
            Container container,
            Switchboard switchboard,
            List<SettingSource> sources,
            Timer timer,
            Predicate<Runnable> aside,
            ChangeLog log) {
        this.container = container;
        this.switchboard = switchboard;
        this.log = log;
        this.sources = new Sources(sources, container.ticker(), timer, aside, log, this::wasRead);
    }

    void start() {
        sources.start();
    }

    void close() {
        sources.close();
    }

    // ---- what it comes to ----

    /**
     * The settings of a command as they are to be now.
     *
     * @param shared whether it shares what is protected: then its pools are none that anybody can set
     */
    CommandSettings settings(CommandDefinition<?, ?> definition, Lasting lasting, boolean shared) {
        if (!sources.areThere()) {
            return definition.settings();
        }
        CommandDeclaration declared = definition.declaration();
        if (!shared) {
            know(declared);
        }
        EffectiveSettings before = lasting.settings();
        EffectiveSettings now =
                resolve(declared, before == null && lasting.isWired() ? code(declared) : before, lasting);
        lasting.settings(isWorthKeeping(now, definition) ? now : null);
        return now.settings();
    }

    /** The settings that the last reading has made of a command that is known. */
    static CommandSettings kept(CommandDefinition<?, ?> definition, Lasting lasting) {
        EffectiveSettings kept = lasting.settings();
        return kept == null ? definition.settings() : kept.settings();
    }

    private void know(CommandDeclaration declared) {
        know(declared.pool(null));
        for (StageSettings stage : declared.settings().stages()) {
            know(declared.pool(stage.name()));
        }
    }

    private void know(@Nullable PoolDeclaration pool) {
        if (pool != null) {
            pools.computeIfAbsent(
                    pool.settings().name(), any -> new Pool(pool, SettingResolver.pool(pool, texts, null)));
        }
    }

    private EffectiveSettings resolve(
            CommandDeclaration declared, @Nullable EffectiveSettings before, Lasting lasting) {
        return SettingResolver.command(declared, this::pool, texts, before, lasting.isWired());
    }

    /** What the code alone comes to. */
    private EffectiveSettings code(CommandDeclaration declared) {
        return SettingResolver.command(declared, this::pool, SettingTexts.NONE, null, false);
    }

    /** Most commands have no property of their own: what their code comes to can be found out again. */
    private static boolean isWorthKeeping(EffectiveSettings settings, CommandDefinition<?, ?> definition) {
        return !settings.faults().isEmpty()
                || !settings.settings().equals(definition.settings()) // its pool may have others
                || settings.accepted().values().stream()
                        .anyMatch(choice -> choice.from() == From.PROPERTY || choice.from() == From.DEFAULT_PROPERTY);
    }

    /** What a pool is set to now, of what the code has made of it. */
    ThreadPool pool(ThreadPool declared) {
        Pool known = pools.get(declared.name());
        return known == null ? declared : known.now().settings();
    }

    /** Forgets pools that nobody names any more. */
    void keepPools(Set<String> named) {
        pools.keySet().retainAll(named);
    }

    // ---- after a reading ----

    private void wasRead() {
        texts = SettingTexts.read(sources.texts(), texts);
        List<Changed> changed = new ArrayList<>();
        switchboard.tune(changed);
        changed.forEach(Changed::tell);
        hold();
        tellFaults();
    }

    /** A command or pool before and after. */
    final class Changed {

        private final String subject;
        private final Map<String, Origin> before;
        private final Map<String, Origin> after;

        private Changed(String subject, Map<String, Origin> before, Map<String, Origin> after) {
            this.subject = subject;
            this.before = before;
            this.after = after;
        }

        /** Each setting that has another value. */
        private void tell() {
            after.forEach((setting, now) -> {
                Origin was = before.get(setting);
                if (was != null && !was.value().equals(now.value())) {
                    tell(setting, was, now);
                }
            });
        }

        private void tell(String setting, Origin was, Origin now) {
            Origin property = now.property().isEmpty() ? was : now;
            log.add(
                    Change.Kind.SETTING,
                    subject + " " + setting,
                    was.value(),
                    now.value(),
                    property.source().isEmpty() ? "configuration" : property.source(),
                    property.property().isEmpty() ? "follows another setting" : property.property());
        }
    }

    /** Sets the pools to what they are to be now. Under the container's lock. */
    void tunePools(Parts parts, Collection<? super Changed> changed) {
        pools.replaceAll((name, pool) -> {
            EffectivePool now = SettingResolver.pool(pool.declared(), texts, pool.now());
            if (!now.settings().equals(pool.now().settings())) {
                parts.tunePool(now.settings());
                changed.add(new Changed("pool " + name, pool.now().origins(), now.origins()));
            }
            return new Pool(pool.declared(), now);
        });
    }

    /**
     * Whether a command is to be wired anew; {@link #settings} has them. Under the container's lock.
     *
     * @param changed what is to be told of it
     */
    boolean isToChange(CommandRuntime<?, ?> command, Collection<? super Changed> changed) {
        CommandDeclaration declared = command.definition().declaration();
        Lasting lasting = command.lasting();
        EffectiveSettings kept = lasting.settings();
        EffectiveSettings before = kept == null ? code(declared) : kept;
        EffectiveSettings now = resolve(declared, before, lasting);
        lasting.settings(isWorthKeeping(now, command.definition()) ? now : null);
        boolean changes = !now.settings().equals(command.settings());
        if (changes) {
            changed.add(new Changed("command " + declared.settings().key().name(), before.origins(), now.origins()));
        }
        return changes;
    }

    /** A command is about to become known: what is held of it is held before its first call. */
    void awaits(CommandDefinition<?, ?> command) {
        if (!texts.controls(command.name()).isEmpty()) {
            awaited.put(command.name(), command);
            hold();
        }
    }

    /** It is known, or was refused. */
    void awaitsNoMore(String command) {
        awaited.remove(command);
    }

    /** A command has become known. */
    void known(CommandRuntime<?, ?> command) {
        if (sources.areThere()) {
            if (!texts.controls(command.key().name()).isEmpty()) {
                hold(); // it may have been read since
            }
            faults(command).stream().filter(told::add).forEach(this::tell);
            logOrigins(command);
        }
    }

    /** Those of a command, as long as it is new: what is held of its group and of everything is looked at after a reading. */
    private List<SettingFault> faults(CommandRuntime<?, ?> command) {
        Map<Target, FromConfiguration> held = new LinkedHashMap<>();
        String name = command.key().name();
        texts.controls(name).forEach(said -> put(said, held));
        texts.switches().stream().filter(said -> said.name().equals(name)).forEach(said -> put(said, held));
        List<SettingFault> faults = new ArrayList<>(keptFaults(command));
        faults.addAll(notServed(held));
        return faults;
    }

    private static List<SettingFault> keptFaults(CommandRuntime<?, ?> command) {
        EffectiveSettings kept = command.lasting().settings();
        return kept == null ? List.of() : kept.faults();
    }

    /** What is held and not obeyed. That there is no such stage is a fault of the property already. */
    private List<SettingFault> notServed(Map<Target, FromConfiguration> held) {
        List<SettingFault> faults = new ArrayList<>();
        held.forEach((target, said) -> {
            boolean isToBeTold = target.kind().isSwitch() || target.stage().equals(Target.PRIMARY);
            String why = isToBeTold ? switchboard.hands().notServed(target, said.position()) : "";
            if (!why.isEmpty()) {
                faults.add(
                        new SettingFault(said.property(), said.position().text(), said.source(), target.text(), why));
            }
        });
        return faults;
    }

    private void logOrigins(CommandRuntime<?, ?> command) {
        System.Logger log = System.getLogger(Configuration.class.getName());
        if (log.isLoggable(System.Logger.Level.INFO)) {
            String said = origins(command).entrySet().stream()
                    .filter(setting -> setting.getValue().from() != From.BUILT_IN)
                    .map(setting -> setting.getKey() + "=" + text(setting.getValue()))
                    .collect(Collectors.joining(", "));
            log.log(
                    System.Logger.Level.INFO,
                    "settings of {0}: {1}",
                    command.key().name(),
                    printable(said));
        }
    }

    /** What somebody else has written stays on its line. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    private static String text(Origin origin) {
        return origin.value() + " ("
                + (origin.property().isEmpty()
                        ? origin.from().name().toLowerCase(Locale.ROOT)
                        : origin.property() + " of " + origin.source())
                + ")";
    }

    /** Holds what the sources say, all of it and nothing else. */
    private void hold() {
        switchboard.hands().overrides().configured(this::held);
    }

    private Map<Target, FromConfiguration> held() {
        Map<Target, FromConfiguration> held = new LinkedHashMap<>();
        SettingTexts now = texts;
        now.switches().forEach(said -> put(said, held));
        Map<String, CommandDefinition<?, ?>> commands = new TreeMap<>(awaited);
        container.all().forEach(command -> commands.put(command.definition().name(), command.definition()));
        commands.forEach((name, command) -> now.controls(name).stream()
                .filter(said -> !said.property().contains(OF_ALL_COMMANDS) || isStageOf(command, said.stage()))
                .forEach(said -> put(said, held)));
        return held;
    }

    /** What is said for all is not meant for those who have no such stage. */
    private static boolean isStageOf(CommandDefinition<?, ?> command, String stage) {
        return stage.equals(Target.PRIMARY)
                || command.settings().stages().stream()
                        .anyMatch(one -> one.name().equals(stage));
    }

    private static void put(ControlText said, Map<Target, FromConfiguration> held) {
        Kind kind = Kind.valueOf(said.kind().toUpperCase(Locale.ROOT));
        Target target = new Target(kind, said.name(), said.stage());
        held.putIfAbsent(
                target, new FromConfiguration(Position.parse(kind, said.text()), said.property(), said.source()));
    }

    // ---- what could not be done ----

    private List<SettingFault> faults() {
        Set<SettingFault> faults = new LinkedHashSet<>(texts.faults());
        new TreeMap<>(pools).values().forEach(pool -> faults.addAll(pool.now().faults()));
        container.all().forEach(command -> faults.addAll(keptFaults(command)));
        faults.addAll(notServed(held()));
        return List.copyOf(faults);
    }

    /** Each once, and again when it has been gone. */
    private void tellFaults() {
        List<SettingFault> now = faults();
        told.retainAll(Set.copyOf(now));
        Map<String, SettingFault> news = new LinkedHashMap<>(); // of one property that many commands refuse, one
        now.stream()
                .filter(told::add)
                .forEach(fault -> news.putIfAbsent(fault.property() + fault.value() + fault.problem(), fault));
        news.values().forEach(this::tell);
    }

    private void tell(SettingFault fault) {
        System.getLogger(Configuration.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "configuration of {0}: {1}",
                        container.name(),
                        printable(fault.toString()));
        log.add(Change.Kind.REFUSED, fault.property(), "", fault.value(), fault.source(), fault.problem());
    }

    // ---- for people ----

    /** The settings of a command, and who has said them. */
    Map<String, Origin> origins(CommandRuntime<?, ?> command) {
        EffectiveSettings kept = command.lasting().settings();
        return kept == null ? code(command.definition().declaration()).origins() : kept.origins();
    }

    ConfigurationView view() {
        Map<String, Map<String, Origin>> ofPools = new HashMap<>();
        pools.forEach((name, pool) -> ofPools.put(name, pool.now().origins()));
        return new ConfigurationView(sources.views(), faults(), texts.losers(), ofPools);
    }
}
