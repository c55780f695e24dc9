package io.degradable.internal.execution;

import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Stage;
import io.degradable.model.CommandKey;
import io.degradable.model.CommandResult;
import io.degradable.model.Criticality;
import io.degradable.model.EventType;
import io.degradable.model.Trigger;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.StageSettings;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.degradable.time.Deadline;
import io.degradable.time.Spans;
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

    /** In place of one of the chain's: none of them can be called at once. */
    static final int NO_LINK = -1;

    private static final Trigger[] TRIGGERS = Trigger.values();

    private final CommandDefinition<C, R> definition;
    private final Container container;
    private final Stage<C, R, R> primary;
    private final List<Stage<C, ?, R>> chain;
    private final Stage<C, ?, R>[] links;
    private final @Nullable ShortCut<C, R> shortCut;
    final CallCounts counts;
    private final Tenure tenure;
    private final @Nullable Retries retries;
    private final List<StageView> views;
    private final List<StageSettings> settingsOfStages;
    private final boolean goesByLane;
    private final int[] plainLinks = new int[TRIGGERS.length];
    private final long runNanos;
    private final long budgetNanos;
    private volatile boolean pinned;

    // Guarded by the container: when somebody last saw that it was used.
    private long seenReceived = -1;
    private long seenNanos;

    CommandRuntime(
            CommandDefinition<C, R> definition,
            Container container,
            Stage<C, R, R> primary,
            List<Stage<C, ?, R>> chain,
            @Nullable ShortCut<C, R> shortCut,
            @Nullable Retries retries,
            boolean rehearsed,
            CallCounts counts,
            Tenure tenure) {
        CommandSettings settings = definition.settings();
        this.definition = definition;
        this.container = container;
        this.primary = primary;
        this.chain = List.copyOf(chain);
        this.links = array(this.chain);
        this.shortCut = shortCut;
        this.counts = counts;
        this.tenure = tenure;
        this.retries = retries;
        this.budgetNanos = Spans.nanos(settings.budget());
        long primaryAndChain = Spans.sum(primary.guard().timeoutNanos(), budgetNanos);
        this.runNanos = Math.min(primaryAndChain, Spans.nanos(settings.deadline()));
        List<StageView> all = new ArrayList<>();
        all.add(new LiveStage(primary, container.ticker(), retries, false));
        for (Stage<C, ?, R> stage : shortCut == null ? List.<Stage<C, ?, R>>of() : shortCut.stages()) {
            all.add(new LiveStage(stage, container.ticker(), null, false));
        }
        for (Stage<C, ?, R> stage : chain) {
            all.add(new LiveStage(stage, container.ticker(), null, rehearsed));
        }
        this.views = List.copyOf(all);
        this.settingsOfStages = Stream.concat(Stream.of(primary), this.chain.stream())
                .map(Stage::settings)
                .toList();
        this.goesByLane = primary.guard().isHere()
                && !settings.effect().writes()
                && settings.effect() != Effect.FAIL_CLOSED
                && retries == null
                && shortCut == null
                && !container.isFollowed();
        for (Trigger trigger : TRIGGERS) {
            plainLinks[trigger.ordinal()] = findPlainLink(trigger);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private static <C, R> Stage<C, ?, R>[] array(List<Stage<C, ?, R>> chain) {
        return (Stage<C, ?, R>[]) chain.toArray(new Stage[0]);
    }

    /** The first stage that is entered for a trigger, if no more than a look into memory. */
    private int findPlainLink(Trigger trigger) {
        for (int place = 0; place < chain.size(); place++) {
            if (chain.get(place).isFor(trigger)) {
                return chain.get(place).isPlain() ? place : NO_LINK;
            }
        }
        return NO_LINK;
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
        return !pinned && definition.isMadeUp() && nowNanos - seenNanos >= idleNanos;
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
        return allStages().stream().map(Stage::guard);
    }

    /** The primary, what comes before it, then the chain in order. */
    List<Stage<?, ?, ?>> allStages() {
        List<Stage<?, ?, ?>> all = new ArrayList<>();
        all.add(primary);
        if (shortCut != null) {
            all.addAll(shortCut.stages());
        }
        all.addAll(chain);
        return all;
    }

    /** Where it runs. */
    public Container container() {
        return container;
    }

    CommandDefinition<C, R> definition() {
        return definition;
    }

    Stage<C, R, R> primary() {
        return primary;
    }

    List<Stage<C, ?, R>> chain() {
        return chain;
    }

    /** Whether a synchronous run of it may take the short way. */
    boolean goesByLane() {
        return goesByLane;
    }

    /** The stage at a place of the chain. */
    Stage<C, ?, R> link(int place) {
        return links[place];
    }

    /** The place of the first stage of the chain that is entered for a trigger, if it {@link Stage#isPlain()}. */
    int plainLink(Trigger trigger) {
        return plainLinks[trigger.ordinal()];
    }

    /** Of the primary, then of the chain in order. */
    List<StageSettings> settingsOfStages() {
        return settingsOfStages;
    }

    /** Null when the primary is always asked. */
    @Nullable
    ShortCut<C, R> shortCut() {
        return shortCut;
    }

    /** Null when the primary is tried once. */
    @Nullable
    Retries retries() {
        return retries;
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

    long budgetNanos() {
        return budgetNanos;
    }

    /** When a run that starts now must be over: its own limits, or earlier if the run that it is part of ends earlier. */
    long deadline(Deadline parent, long startNanos) {
        return parent.earlierOf(container.ticker(), startNanos + runNanos);
    }

    @Override
    public CommandKey key() {
        return definition.settings().key();
    }

    @Override
    public Criticality criticality() {
        return definition.settings().criticality();
    }

    @Override
    public CommandSettings settings() {
        return definition.settings();
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
