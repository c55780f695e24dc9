package io.degradable.internal.execution;

import io.degradable.internal.guard.Guard;
import io.degradable.internal.stage.Stage;
import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.EventType;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
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

    private final CommandDefinition<C, R> definition;
    private final Container container;
    private final Stage<C, R, R> primary;
    private final List<Stage<C, ?, R>> chain;
    final CallCounts counts;
    private final Tenure tenure;
    private final @Nullable Retries retries;
    private final Set<CallKind> possibleCalls;
    private final List<StageView> views;
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
            @Nullable Retries retries,
            boolean rehearsed,
            CallCounts counts,
            Tenure tenure) {
        CommandSettings settings = definition.settings();
        this.definition = definition;
        this.container = container;
        this.primary = primary;
        this.chain = List.copyOf(chain);
        this.counts = counts;
        this.tenure = tenure;
        this.retries = retries;
        this.possibleCalls = PossibleCalls.of(settings);
        this.budgetNanos = Spans.nanos(settings.budget());
        long primaryAndChain = Spans.sum(primary.guard().timeoutNanos(), budgetNanos);
        this.runNanos = Math.min(primaryAndChain, Spans.nanos(settings.deadline()));
        List<StageView> all = new ArrayList<>();
        all.add(new LiveStage(primary, container.ticker(), retries, false));
        for (Stage<C, ?, R> stage : chain) {
            all.add(new LiveStage(stage, container.ticker(), null, rehearsed));
        }
        this.views = List.copyOf(all);
    }

    /**
     * Runs the command here and now.
     *
     * @return the run, which was answered; null when the command is gone: look it up anew
     * @throws IllegalStateException when the container is closed
     */
    public @Nullable FinishedRun<R> run(C command) {
        return Execution.run(this, command);
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

    /** The primary, then the chain in order. */
    List<Stage<?, ?, ?>> allStages() {
        List<Stage<?, ?, ?>> all = new ArrayList<>();
        all.add(primary);
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
        return possibleCalls;
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
