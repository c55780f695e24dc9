package io.degradable.internal.execution;

import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Stage;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.Criticality;
import io.degradable.model.EventType;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.Origin;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/**
 * A command in a container: its stages, its counts. One exists for each name, and all instances of the command share it.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class CommandRuntime<C, R> implements CommandView {

    /** In place of an answer: the command was let go for want of use, and is to be looked up anew. */
    public static final Object GONE = new Object();

    private final CommandDefinition<C, R> definition;
    private final Container container;
    final CallCounts counts;
    private final Tenure tenure;
    private final Lasting lasting;
    private final List<StageView> views;
    private volatile Wiring<C, R> wiring;
    private volatile boolean pinned;

    // Guarded by the container: when somebody last saw that it was used.
    private long seenReceived = -1;
    private long seenNanos;

    /**
     * A command.
     *
     * @param lasting what later wirings of it go on with
     */
    CommandRuntime(
            CommandDefinition<C, R> definition,
            Container container,
            Wiring<C, R> wiring,
            Lasting lasting,
            CallCounts counts,
            Tenure tenure) {
        this.definition = definition;
        this.container = container;
        this.wiring = wiring;
        this.lasting = lasting;
        this.counts = counts;
        this.tenure = tenure;
        List<StageView> all = new ArrayList<>();
        for (int place = 0; place < wiring.allStages().size(); place++) {
            all.add(new LiveStage(this, place));
        }
        this.views = List.copyOf(all);
    }

    /** How it works now. A run asks once, when it begins. */
    Wiring<C, R> wiring() {
        return wiring;
    }

    /** Lets it work otherwise; one thread at a time. */
    void wire(Wiring<C, R> next) {
        wiring = next;
    }

    /** What wirings of it go on with; guarded by the container. */
    Lasting lasting() {
        return lasting;
    }

    /**
     * Runs the command here and now.
     *
     * @param asResult whether its {@link CommandResult} is wanted, or the answer alone
     * @return the answer or the result; {@link #GONE}
     * @throws IllegalStateException when the container is closed
     */
    public @Nullable Object call(C command, boolean asResult) {
        return Execution.run(this, command, asResult);
    }

    /**
     * Begins a run that nobody waits for.
     *
     * @param whenOver told once, on the calling thread or on one of the container's continuation executor
     * @return the run; null when the command is gone: look it up anew
     * @throws IllegalStateException when the container is closed
     */
    public @Nullable AsyncExecution<C, R> start(C command, Consumer<? super FinishedRun<R>> whenOver) {
        AsyncExecution<C, R> execution = new AsyncExecution<>(container, this, command, whenOver);
        return execution.start() ? execution : null;
    }

    /** Keeps it however long nobody uses it. */
    public void pin() {
        pinned = true;
    }

    /**
     * Counts a run in, before it begins.
     *
     * @return false when the command is gone: look it up anew
     * @throws IllegalStateException when the container is closed
     */
    boolean enter() {
        counts.received();
        boolean in = true;
        try {
            boolean closed = container.isClosed();
            if (closed || isGone()) {
                counts.turnedAway();
                in = false;
                container.runTurnedAway(); // who closes may have seen it as in flight
            }
            if (closed) {
                container.requireOpen();
            }
            return in;
        } catch (StackOverflowError noStackLeft) {
            if (in) {
                counts.lost++;
            }
            throw noStackLeft;
        }
    }

    boolean isGone() {
        return tenure.isOver();
    }

    /** Whether it may be let go for want of use. */
    boolean isIdle(long nowNanos, long idleNanos) {
        long received = counts.receivedCalls();
        if (received != seenReceived) {
            seenReceived = received;
            seenNanos = nowNanos;
        }
        return !pinned && definition.isMadeUp() && !lasting.isHeld() && nowNanos - seenNanos >= idleNanos;
    }

    /** Lets it go, unless something is in flight or its breaker is not closed. */
    boolean retire() {
        tenure.end();
        boolean atRest = counts.inFlight() == 0 && guards().allMatch(Guard::isAtRest);
        if (!atRest) {
            tenure.resume();
        }
        return atRest;
    }

    private Stream<Guard> guards() {
        return wiring.allStages().stream().map(Stage::guard);
    }

    /** Where it runs. */
    public Container container() {
        return container;
    }

    CommandDefinition<C, R> definition() {
        return definition;
    }

    CallCounts counts() {
        return counts;
    }

    Effect effect() {
        return definition.settings().effect();
    }

    Ticker ticker() {
        return container.ticker();
    }

    @Override
    public CommandKey key() {
        return definition.settings().key();
    }

    @Override
    public Criticality criticality() {
        return settings().criticality();
    }

    @Override
    public CommandSettings settings() {
        return wiring.settings();
    }

    @Override
    public Map<String, Origin> origins() {
        return container.switchboard().origins(this);
    }

    @Override
    public int primaryShare() {
        return wiring.route().share();
    }

    @Override
    public long received() {
        return counts.receivedCalls();
    }

    @Override
    public long inFlight() {
        return counts.inFlight();
    }

    @Override
    public Set<CallKind> possibleCalls() {
        return PossibleCalls.of(settings());
    }

    @Override
    public long calls(CallKind kind) {
        return counts.sum(call ->
                call.outcome() == kind.outcome() && call.source() == kind.source() && call.trigger() == kind.trigger());
    }

    @Override
    public long events(EventType event) {
        return counts.events(event);
    }

    @Override
    public Map<EventType, Long> recentEvents() {
        return counts.recentEvents(container.ticker().nanos());
    }

    @Override
    public long elapsedNanos() {
        return counts.elapsedNanos();
    }

    @Override
    public long servedCopies() {
        return counts.servedCopies();
    }

    @Override
    public long servedAgeNanos() {
        return counts.servedAgeNanos();
    }

    @Override
    public List<StageView> stages() {
        return views;
    }

    @Override
    public String toString() {
        return key().name() + " of " + key().group() + ": " + received() + " received, " + inFlight() + " in flight";
    }
}
