package io.degradable.internal.execution;

import io.degradable.control.Change;
import io.degradable.control.ChangeListener;
import io.degradable.control.OverrideStore;
import io.degradable.control.Switches;
import io.degradable.control.Target;
import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.internal.control.ChangeLog;
import io.degradable.internal.control.Overrides;
import io.degradable.internal.stage.Route;
import io.degradable.model.StageReason;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Origin;
import io.degradable.settings.SettingSource;
import io.degradable.state.Circuit;
import io.degradable.state.ConfigurationView;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * What hands and the configuration make of the commands of a container: their settings, their routes, which of their stages
 * are out, and the wiring that follows from that.
 *
 * <pre>
 *   a hand, a property, an expiry, another process --> Overrides --+
 *   a property -----------------------------> Configuration -------+--> commands are wired anew, under the container's lock
 *   ten seconds on the way back ------------> Recoveries ----------+          --> breakers are forced, listeners told, without
 * </pre>
 *
 * <p>Threading: every method may be called from any thread; those that say so are called under the container's lock.
 */
public final class Switchboard {

    /**
     * What steers a container from outside.
     *
     * @param settings where settings come from; the first has precedence
     * @param switches keeps what is set by hand; null for nowhere
     * @param changeListeners hear of every change
     */
    public record Steering(
            List<SettingSource> settings, @Nullable OverrideStore switches, List<ChangeListener> changeListeners) {

        public Steering {
            settings = List.copyOf(settings);
            changeListeners = List.copyOf(changeListeners);
        }
    }

    private final Container container;
    private final Parts parts;
    private final Ticker ticker;
    private final ChangeLog log;
    private final Recoveries recoveries;
    private final Hands hands;
    private final Configuration configuration;

    /** @param wake told when what {@link #isUnderWay()} has ended */
    Switchboard(
            Container container,
            Parts parts,
            Timer timer,
            Predicate<Runnable> aside,
            Steering steering,
            Runnable wake) {
        this.container = container;
        this.parts = parts;
        this.ticker = container.ticker();
        this.log = new ChangeLog(ticker, aside, steering.changeListeners());
        this.recoveries = new Recoveries(ticker, timer, aside, log, command -> wireAnew(command::equals, any -> true));
        this.hands = new Hands(
                container,
                this,
                log,
                effects -> new Overrides(ticker, timer, aside, log, effects, steering.switches(), wake));
        this.configuration = new Configuration(container, this, steering.settings(), timer, aside, log);
    }

    /** Reads what the sources and the store have, here. */
    void start() {
        configuration.start();
        hands.overrides().start();
    }

    // ---- for people ----

    /** What hands hold. */
    public Switches switches() {
        return hands;
    }

    ChangeLog log() {
        return log;
    }

    Hands hands() {
        return hands;
    }

    /** The breaker of a stage, for who may hold it. */
    Circuit circuit(CommandRuntime<?, ?> command, String stage, CircuitBreaker breaker) {
        return new LiveCircuit(breaker, circuitTarget(command, stage), hands, ticker);
    }

    /** The breaker of a stage as a hand holds it: that of a spare command is the command's own. */
    static Target circuitTarget(CommandRuntime<?, ?> command, String stage) {
        for (StageDefinition<?, ?> link : command.definition().stages()) {
            if (link instanceof StageDefinition.SpareCommand<?, ?> spare
                    && spare.settings().name().equals(stage)) {
                return Target.circuit(spare.spare().name(), Target.PRIMARY);
            }
        }
        return Target.circuit(command.key().name(), stage);
    }

    /** Code has set another target for a bulkhead. */
    void resizedByCode(String subject, String to) {
        log.add(Change.Kind.SETTING, subject, "", to, "code", "resized while it runs");
    }

    // ---- commands come and go ----

    /** A command is about to become known. */
    void awaits(CommandDefinition<?, ?> command) {
        configuration.awaits(command);
    }

    /** It is known, or was refused. */
    void awaitsNoMore(CommandDefinition<?, ?> command) {
        configuration.awaitsNoMore(command.name());
    }

    /**
     * A command is made, and nobody can call it yet. Under the container's lock.
     *
     * @return tell of its breakers that are forced
     */
    List<Runnable> connect(CommandRuntime<?, ?> command) {
        settleRamp(command, false);
        command.lasting().offSinceNanos = hands.offSinceNanos(command.key()); // it may be switched since long ago
        command.lasting().held(hands.holds(command));
        return hands.forceQuietly(command);
    }

    /** A command has become known. Without the lock. */
    void isKnownNow(CommandRuntime<?, ?> command) {
        hands.force(command); // what has changed since it was made
        configuration.known(command);
    }

    /** Forgets pools that nobody names any more. */
    void keepPools(Set<String> named) {
        configuration.keepPools(named);
    }

    // ---- what it comes to ----

    /**
     * The settings of a command as they are now.
     *
     * @param shared whether it is one of those that come and go above the cap on names
     */
    CommandSettings effective(CommandDefinition<?, ?> definition, Lasting lasting, boolean shared) {
        return lasting.isWired() && !shared
                ? Configuration.kept(definition, lasting)
                : configuration.settings(definition, lasting, shared);
    }

    /** What comes from outside of the code. */
    public ConfigurationView configuration() {
        return configuration.view();
    }

    /** The settings of a command, and who has said them. */
    Map<String, Origin> origins(CommandRuntime<?, ?> command) {
        return configuration.origins(command);
    }

    /**
     * Sets pools and commands to what their properties say now.
     *
     * @param changed gets what is to be told of it
     */
    void tune(Collection<? super Configuration.Changed> changed) {
        Set<CommandRuntime<?, ?>> other = new HashSet<>();
        synchronized (container) {
            configuration.tunePools(parts, changed);
            for (CommandRuntime<?, ?> command : container.all()) {
                if (configuration.isToChange(command, changed)) {
                    other.add(command);
                }
            }
        }
        wireAnew(other::contains, command -> false);
    }

    /** Which stages runs of a command ask that begin now. */
    RouteRule routeOf(CommandSettings settings) {
        Route byHand = hands.route(settings);
        RouteRule recovering = byHand.isFull() ? recoveries.of(settings.key().name()) : null;
        return recovering == null ? new RouteRule(byHand, null) : recovering;
    }

    /** Why a stage is closed to every run; null when it is not. */
    @Nullable
    StageReason closedByHand(String command, String stage) {
        return hands.closedByHand(command, stage);
    }

    /** Why a command does not serve as a spare; null when it does. */
    @Nullable
    static StageReason closedAsSpare(CommandRuntime<?, ?> spare) {
        RouteRule route = spare.wiring().route();
        return route.ramp() == null ? route.route().why() : null;
    }

    /**
     * Wires commands anew, and those that have one of them for a spare.
     *
     * @param atOnce those that get their calls back at once, if they get them back
     */
    void wireAnew(Predicate<? super CommandRuntime<?, ?>> which, Predicate<? super CommandRuntime<?, ?>> atOnce) {
        List<CommandRuntime<?, ?>> wired = new ArrayList<>();
        List<Runnable> telling = new ArrayList<>();
        synchronized (container) {
            Set<String> names = new HashSet<>();
            for (CommandRuntime<?, ?> command : container.all()) {
                if (which.test(command)) {
                    settleRamp(command, atOnce.test(command));
                    wire(command);
                    names.add(command.key().name());
                    wired.add(command);
                    telling.addAll(command.lasting().takeTelling());
                }
            }
            // Those wired above, too: they may have come before their spares.
            for (CommandRuntime<?, ?> command : container.all()) {
                if (command.definition().spares().anyMatch(names::contains)) {
                    wire(command);
                }
            }
            Overflow aboveTheCap = container.overflow();
            if (aboveTheCap != null) {
                aboveTheCap.wireAnew();
            }
        }
        telling.forEach(Runnable::run); // listeners hear of it, so no lock is held
        wired.forEach(hands::force);
    }

    private <C, R> void wire(CommandRuntime<C, R> command) {
        command.wire(new Assembly(container, parts, new Assembly.OwnGuards(parts))
                .wiring(command.definition(), command.lasting()));
        command.lasting()
                .held(hands.holds(command) || recoveries.of(command.key().name()) != null);
    }

    /** Calls that were kept from the primary for long come back by and by. */
    private void settleRamp(CommandRuntime<?, ?> command, boolean atOnce) {
        Lasting lasting = command.lasting();
        Route before = lasting.byHand;
        Route now = hands.route(effective(command.definition(), lasting, false));
        lasting.byHand = now;
        if (!now.isFull()) {
            boolean wasOnTheWayBack = recoveries.end(command.key().name());
            if (wasOnTheWayBack) {
                lasting.offSinceNanos = ticker.nanos() - Recoveries.LONG_NANOS - 1; // it has not come back yet
            } else if (before.isFull()) {
                lasting.offSinceNanos = ticker.nanos();
            }
        } else if (atOnce) {
            recoveries.end(command.key().name());
        } else if (!before.isFull() && ticker.nanos() - lasting.offSinceNanos > Recoveries.LONG_NANOS) {
            recoveries.begin(command, before);
        }
    }

    /** Commands that have all their calls again, if they were on their way to that. */
    void endRamps(Predicate<? super CommandRuntime<?, ?>> which) {
        wireAnew(command -> which.test(command) && recoveries.of(command.key().name()) != null, command -> true);
    }

    // ---- the end ----

    /** Whether the store or a listener is being told, for which a close may wait a while. */
    boolean isUnderWay() {
        return hands.areUnderWay();
    }

    /** Lets go of sources, store and listeners; they may hang. */
    void close() {
        configuration.close();
        hands.close();
    }
}
