package io.degradable.internal.control;

import io.degradable.control.ManualOverride;
import io.degradable.control.Order;
import io.degradable.control.OverrideStore;
import io.degradable.control.Position;
import io.degradable.control.StoreState;
import io.degradable.control.Target;
import io.degradable.settings.Require;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * What humans hold, by hand and by configuration, in a container.
 *
 * <pre>
 *   set, clear, configured, expiry, store --> ledger (one step: slots, record, table)
 *                                                |
 *                                                +--> listeners, effects, the store, the next expiry
 *   inForce, out, circuit --> table (without a lock)
 * </pre>
 *
 * <p>Threading: every method may be called from any thread, and none blocks but {@link #start}. No lock is held while
 * effects, listeners or the store are called.
 */
public final class Overrides {

    private final ChangeLog log;
    private final Effects effects;
    private final Ledger ledger;
    private final Expiries expiries;
    private final @Nullable StoreSync store;

    /**
     * The overrides of a container.
     *
     * @param timer goes by {@code ticker}; its owner closes it
     * @param aside does something on another thread, which is interrupted when the container ends; false when it will not
     * @param store keeps what is set by hand; null for nowhere
     * @param whenAtRest told when what {@link #isUnderWay()} has ended
     */
    public Overrides(
            Ticker ticker,
            Timer timer,
            Predicate<Runnable> aside,
            ChangeLog log,
            Effects effects,
            @Nullable OverrideStore store,
            Runnable whenAtRest) {
        this.log = log;
        this.effects = effects;
        this.ledger = new Ledger(ticker, log, store != null);
        this.expiries = new Expiries(ticker, timer, aside, ledger::table, () -> tell(ledger.expire()));
        this.store = store == null ? null : new StoreSync(store, ledger, ticker, timer, aside, this::tell, whenAtRest);
    }

    /** Looks into the store once, on the calling thread; when that fails it is tried again aside. */
    public void start() {
        if (store != null) {
            store.start();
        }
    }

    // ---- changes ----

    /**
     * A hand holds a target.
     *
     * @throws IllegalArgumentException when it cannot be held there
     * @throws IllegalStateException after the close
     */
    public ManualOverride set(Target target, Position position, Order order) {
        Objects.requireNonNull(target, "target must not be null");
        Objects.requireNonNull(position, "position must not be null");
        Objects.requireNonNull(order, "order must not be null");
        String refusal = position.isFor(target.kind())
                ? effects.refusal(target, position)
                : target + " cannot be held at " + position;
        if (refusal != null) {
            ledger.refused(target, position, order, refusal);
            log.tell();
            throw new IllegalArgumentException(refusal);
        }
        Ledger.Step step = ledger.set(target, position, order);
        tellOfHand(step);
        Held held = step.entry() == null ? null : step.entry().held;
        return view(Require.notNull("hold of " + target, held, "it was set"));
    }

    /**
     * A hand lets go of a target. When it is unknown what the store knows, that is passed on to it in any case.
     *
     * @return whether a hand had held it
     * @throws IllegalStateException after the close
     */
    public boolean clear(Target target, Order order) {
        Objects.requireNonNull(target, "target must not be null");
        Objects.requireNonNull(order, "order must not be null");
        Ledger.Step step = ledger.clear(target, order, store != null && !store.isReachable());
        tellOfHand(step);
        return step.entry() != null;
    }

    private void tellOfHand(Ledger.Step step) {
        try {
            tell(step.moves());
        } finally {
            if (store != null) {
                store.request();
            }
        }
    }

    /**
     * What the configuration says now, all of it; asked for in one step with taking it, so that of two who do so the later has
     * its way.
     *
     * @param all only looks it up: it is asked under a lock
     * @throws IllegalArgumentException when a target cannot be held there; nothing is changed then
     */
    public void configured(Supplier<Map<Target, FromConfiguration>> all) {
        tell(ledger.configured(all));
    }

    /** After each step, on the thread that made it. */
    private void tell(List<Move> moves) {
        log.tell();
        try {
            if (!moves.isEmpty()) {
                effects.changed(List.copyOf(moves));
            }
        } finally {
            expiries.rearm();
        }
    }

    // ---- for calls: one volatile read and at most three look-ups ----

    /** The most specific switch of a command that is held; null for none. */
    public @Nullable Held inForce(String command, String group) {
        return ledger.table().inForce(command, group);
    }

    /** What takes a stage out; null for nothing. */
    public @Nullable Held out(String command, String stage) {
        return ledger.table().out(command, stage);
    }

    /** What forces the breaker of a stage; null for nothing. */
    public @Nullable Held circuit(String command, String stage) {
        return ledger.table().circuit(command, stage);
    }

    // ---- for people ----

    /** Everything that is held, also what is outranked; in the order of the targets' texts, what counts first. */
    public List<ManualOverride> all() {
        return ledger.table().all().stream().map(this::view).toList();
    }

    /** {@link #inForce} as it is looked at. */
    public Optional<ManualOverride> decidesFor(String command, String group) {
        return Optional.ofNullable(inForce(command, group)).map(this::view);
    }

    private ManualOverride view(Held held) {
        boolean known = effects.isKnown(held.target());
        return new ManualOverride(
                held.target(),
                held.position(),
                held.author(),
                held.reason(),
                held.since(),
                held.expiresAt(),
                held.origin(),
                !known,
                known ? effects.notServed(held.target(), held.position()) : "",
                ledger.isStored(held));
    }

    /** How the store is; empty when there is none. */
    public Optional<StoreState> store() {
        return store == null ? Optional.empty() : Optional.of(store.state());
    }

    /** Whether the store is being brought up to date, for which a close may wait a while. */
    public boolean isUnderWay() {
        return store != null && store.isUnderWay();
    }

    // ---- the end ----

    /** Nothing changes any more: no alarm is left, and the store is watched no longer. What is held stays. */
    public void close() {
        ledger.close();
        expiries.close();
        if (store != null) {
            store.close();
        }
    }
}
