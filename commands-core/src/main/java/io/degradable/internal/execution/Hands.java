package io.degradable.internal.execution;

import io.degradable.control.Change;
import io.degradable.control.ManualOverride;
import io.degradable.control.Order;
import io.degradable.control.Position;
import io.degradable.control.StoreState;
import io.degradable.control.Switches;
import io.degradable.control.Target;
import io.degradable.control.Target.Kind;
import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.internal.control.ChangeLog;
import io.degradable.internal.control.Effects;
import io.degradable.internal.control.Held;
import io.degradable.internal.control.Move;
import io.degradable.internal.control.Overrides;
import io.degradable.internal.stage.Route;
import io.degradable.internal.stage.Route.Keeps;
import io.degradable.internal.stage.Stage;
import io.degradable.model.CommandKey;
import io.degradable.model.StageReason;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.StageSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/**
 * What hands hold, applied to the commands of a container: which of them a switch can move at all, which route that gives
 * them, and which commands have to be wired anew.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Hands implements Switches, Effects {

    private static final int MOST_NAMED = 20;

    private final Container container;
    private final Switchboard switchboard;
    private final ChangeLog log;
    private final Overrides overrides;

    /** @param overrides makes them, with these as what they act on */
    Hands(Container container, Switchboard switchboard, ChangeLog log, Function<? super Effects, Overrides> overrides) {
        this.container = container;
        this.switchboard = switchboard;
        this.log = log;
        this.overrides = overrides.apply(this);
    }

    Overrides overrides() {
        return overrides;
    }

    /** Whether the store or a listener is being told, for which a close may wait a while. */
    boolean areUnderWay() {
        return overrides.isUnderWay() || log.isUnderWay();
    }

    /** Nothing is held or let go of any more. */
    void close() {
        overrides.close();
        log.close();
    }

    // ---- for people ----

    @Override
    public ManualOverride set(Target target, Position position, Order order) {
        container.requireOpen();
        return overrides.set(
                Objects.requireNonNull(target, "target must not be null"),
                Objects.requireNonNull(position, "position must not be null"),
                Objects.requireNonNull(order, "order must not be null"));
    }

    @Override
    public boolean clear(Target target, Order order) {
        Objects.requireNonNull(target, "target must not be null");
        Objects.requireNonNull(order, "order must not be null");
        container.requireOpen();
        boolean held = overrides.clear(target, order);
        if (order.immediately()) {
            switchboard.endRamps(command -> concerns(target, command.key()));
        }
        return held;
    }

    @Override
    public List<ManualOverride> all() {
        return overrides.all();
    }

    @Override
    public Optional<ManualOverride> decidesFor(String command) {
        Objects.requireNonNull(command, "command must not be null");
        return overrides.decidesFor(command, container.groupOf(command));
    }

    @Override
    public Optional<StoreState> store() {
        return overrides.store();
    }

    @Override
    public List<Change> changes() {
        return log.changes();
    }

    // ---- what they act on ----

    @Override
    public boolean isKnown(Target target) {
        return target.kind() == Kind.ALL || concerned(target).findAny().isPresent();
    }

    @Override
    public @Nullable String refusal(Target target, Position position) {
        return switch (target.kind()) {
            case COMMAND ->
                known(target).map(command -> refusal(command, position)).orElse(null);
            case GROUP, ALL -> refusalOfMany(target, position);
            case STAGE ->
                known(target).map(command -> refusalOfStage(command, target)).orElse(null);
            case CIRCUIT ->
                known(target).map(command -> refusalOfCircuit(command, target)).orElse(null);
        };
    }

    private static @Nullable String refusal(CommandRuntime<?, ?> command, Position position) {
        String missing = SwitchRules.missing(command.settings(), position);
        return missing.isEmpty()
                ? null
                : "the switch of command " + command.key().name() + " cannot be " + position.text() + ": it has "
                        + missing + ", its chain is " + SwitchRules.names(command.settings());
    }

    private @Nullable String refusalOfMany(Target target, Position position) {
        List<CommandRuntime<?, ?>> all = concerned(target).toList();
        boolean nobodyObeys = !all.isEmpty()
                && position != Position.NORMAL
                && all.stream()
                        .noneMatch(command -> SwitchRules.canServe(command.settings(), SwitchRules.keeps(position)));
        return nobodyObeys
                ? "the switch " + target + " cannot be " + position.text() + ": no command of it has "
                        + (position == Position.CACHE_ONLY ? "a cache or a template" : "a template")
                : null;
    }

    private @Nullable String refusalOfStage(CommandRuntime<?, ?> command, Target target) {
        String name = command.key().name();
        if (target.stage().equals(Target.PRIMARY)) {
            return command.settings().stages().isEmpty()
                    ? "the primary of command " + name + " cannot be out: it has no other stage"
                    : null;
        }
        return stage(command, target.stage()) != null
                ? null
                : "command " + name + " has no stage " + target.stage() + ", it has "
                        + SwitchRules.names(command.settings());
    }

    private @Nullable String refusalOfCircuit(CommandRuntime<?, ?> command, Target target) {
        if (target.stage().equals(Target.PRIMARY)) {
            return null;
        }
        String name = command.key().name();
        StageSettings stage = stage(command, target.stage());
        if (stage == null) {
            return "command " + name + " has no stage " + target.stage() + ", it has "
                    + SwitchRules.names(command.settings());
        }
        Target itsOwn = Switchboard.circuitTarget(command, target.stage());
        if (!itsOwn.equals(target)) {
            return "stage " + target.stage() + " of " + name + " is a command of its own: its breaker is " + itsOwn;
        }
        return isInline(command, target.stage())
                ? "stage " + target.stage() + " of " + name + " is read in memory and has no breaker"
                : null;
    }

    private static boolean isInline(CommandRuntime<?, ?> command, String stage) {
        return command.wiring().allStages().stream()
                .anyMatch(one ->
                        one.settings().name().equals(stage) && one.guard().isInline());
    }

    @Override
    public String notServed(Target target, Position position) {
        if (!target.kind().isSwitch()) {
            String refusal = refusal(target, position);
            return refusal == null ? "" : refusal;
        }
        List<String> not = new ArrayList<>();
        concerned(target).forEach(command -> {
            String missing = SwitchRules.missing(command.settings(), position);
            if (!missing.isEmpty()) {
                boolean below = SwitchRules.canServe(command.settings(), SwitchRules.keeps(position));
                not.add(command.key().name() + " has " + missing
                        + (below ? ": its template serves" : ": it goes on with its primary"));
            }
        });
        int more = not.size() - MOST_NAMED;
        return String.join("; ", more > 0 ? not.subList(0, MOST_NAMED) : not)
                + (more > 0 ? "; and " + more + " more" : "");
    }

    private static @Nullable StageSettings stage(CommandRuntime<?, ?> command, String name) {
        return command.settings().stages().stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private Optional<CommandRuntime<?, ?>> known(Target target) {
        return Optional.ofNullable(container.find(target.name()));
    }

    private Stream<CommandRuntime<?, ?>> concerned(Target target) {
        if (target.kind() != Kind.ALL && target.kind() != Kind.GROUP) {
            return known(target).stream();
        }
        return container.all().stream()
                .filter(command -> concerns(target, command.key()))
                .sorted(Comparator.comparing(command -> command.key().name()));
    }

    private static boolean concerns(Target target, CommandKey command) {
        return switch (target.kind()) {
            case ALL -> true;
            case GROUP -> target.name().equals(command.group());
            case COMMAND, STAGE, CIRCUIT -> target.name().equals(command.name());
        };
    }

    @Override
    public void changed(List<Move> moves) {
        Collection<Target> atOnce =
                moves.stream().filter(Move::atOnce).map(Move::target).collect(Collectors.toSet());
        switchboard.wireAnew(
                command -> moves.stream().anyMatch(move -> concerns(move.target(), command.key())),
                command -> atOnce.stream().anyMatch(target -> concerns(target, command.key())));
    }

    // ---- how they wire a command ----

    /** The route of a command's runs as far as hands decide it. */
    Route route(CommandSettings settings) {
        CommandKey key = settings.key();
        Held by = overrides.inForce(key.name(), key.group());
        Keeps keeps = by == null ? Keeps.ALL : SwitchRules.keeps(by.position());
        if (keeps != Keeps.ALL && SwitchRules.canServe(settings, keeps)) {
            return new Route(StageReason.SWITCHED, keeps);
        }
        return closedByHand(key.name(), Target.PRIMARY) != null && SwitchRules.canServe(settings, Keeps.ALL)
                ? new Route(StageReason.OUT, Keeps.ALL)
                : Route.FULL;
    }

    /** Since when something keeps the calls of a command from its primary. */
    long offSinceNanos(CommandKey command) {
        Held by = overrides.inForce(command.name(), command.group());
        if (by == null || SwitchRules.keeps(by.position()) == Keeps.ALL) {
            by = overrides.out(command.name(), Target.PRIMARY);
        }
        return by == null ? container.ticker().nanos() : by.sinceNanos();
    }

    /**
     * Forces the breakers of a command as they are held, and lets go of those that were. Two threads at once may do so in
     * either order, so each looks afterwards whether another has decided otherwise meanwhile.
     */
    void force(CommandRuntime<?, ?> command) {
        for (Stage<?, ?, ?> stage : command.wiring().allStages()) {
            String name = stage.settings().name();
            boolean itsOwn = Switchboard.circuitTarget(command, name)
                    .equals(Target.circuit(command.key().name(), name));
            if (itsOwn && !stage.guard().isInline()) {
                force(command, name, stage.guard().breaker());
            }
        }
    }

    private void force(CommandRuntime<?, ?> command, String stage, CircuitBreaker breaker) {
        Held wanted = overrides.circuit(command.key().name(), stage);
        if (wanted == null && !command.lasting().isForced(stage)) {
            return; // and never was
        }
        AtomicReference<Held> forced = command.lasting().forced(stage);
        boolean agrees = forced.get() == wanted;
        while (!agrees) {
            forced.set(wanted);
            force(breaker, wanted, Target.circuit(command.key().name(), stage)).run();
            Held isNow = overrides.circuit(command.key().name(), stage);
            // If another one has been here meanwhile, what was done last may be this.
            agrees = isNow == wanted && forced.get() == wanted;
            wanted = isNow;
        }
    }

    /** Returns what tells of it. */
    private Runnable force(CircuitBreaker breaker, @Nullable Held wanted, Target target) {
        long now = container.ticker().nanos();
        if (wanted == null) {
            String by = whoLetGo(target);
            return () -> breaker.release(by, now);
        }
        return wanted.position() == Position.FORCED_OPEN
                ? breaker.forceOpenQuietly(wanted.author(), now)
                : breaker.forceClosedQuietly(wanted.author(), now);
    }

    /**
     * Forces the breakers of a command that nobody can call yet.
     *
     * @return tells of it
     */
    List<Runnable> forceQuietly(CommandRuntime<?, ?> command) {
        List<Runnable> telling = new ArrayList<>();
        for (Stage<?, ?, ?> stage : command.wiring().allStages()) {
            String name = stage.settings().name();
            Target target = Target.circuit(command.key().name(), name);
            Held wanted = overrides.circuit(command.key().name(), name);
            if (wanted != null
                    && Switchboard.circuitTarget(command, name).equals(target)
                    && !stage.guard().isInline()) {
                command.lasting().forced(name).set(wanted);
                telling.add(force(stage.guard().breaker(), wanted, target));
            }
        }
        return telling;
    }

    private String whoLetGo(Target target) {
        List<Change> changes = log.changes();
        for (int latest = changes.size() - 1; latest >= 0; latest--) {
            if (changes.get(latest).subject().equals(target.text())) {
                return changes.get(latest).author();
            }
        }
        return "nobody any more";
    }

    /** Why a stage is closed to every run; null when it is not. */
    @Nullable
    StageReason closedByHand(String command, String stage) {
        return overrides.out(command, stage) == null ? null : StageReason.OUT;
    }

    /** Whether something is held of a command itself, so that it must not go by itself. */
    boolean holds(CommandRuntime<?, ?> command) {
        String name = command.key().name();
        Held by = overrides.inForce(name, command.key().group());
        return (by != null && by.target().kind() == Kind.COMMAND)
                || command.wiring().allStages().stream()
                        .map(Stage::settings)
                        .anyMatch(stage -> overrides.out(name, stage.name()) != null
                                || overrides.circuit(name, stage.name()) != null);
    }
}
