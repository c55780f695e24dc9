package io.degradable.internal.execution;

import io.degradable.internal.stage.Stage;
import io.degradable.model.Trigger;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Effect;
import io.degradable.settings.StageSettings;
import io.degradable.time.Deadline;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/**
 * How a command works as its settings and the switches are now: its stages, its limits, its route. A change replaces it as a
 * whole, and a run goes by the one that it began with to its end.
 *
 * <p>Threading: immutable, but for what its stages keep.
 */
final class Wiring<C, R> {

    /** In place of one of the chain's: none of them can be called at once. */
    static final int NO_LINK = -1;

    private static final Trigger[] TRIGGERS = Trigger.values();

    private final CommandSettings settings;
    private final Stage<C, R, R> primary;
    private final List<Stage<C, ?, R>> chain;
    private final Stage<C, ?, R>[] links;
    private final List<Stage<?, ?, ?>> allStages;
    private final @Nullable ShortCut<C, R> shortCut;
    private final @Nullable Retries retries;
    private final RouteRule route;
    private final List<StageSettings> settingsOfStages;
    private final boolean rehearsed;
    private final boolean goesByLane;
    private final int[] plainLinks = new int[TRIGGERS.length];
    private final Ticker ticker;
    private final long runNanos;
    private final long budgetNanos;

    Wiring(
            CommandSettings settings,
            Stage<C, R, R> primary,
            List<Stage<C, ?, R>> chain,
            @Nullable ShortCut<C, R> shortCut,
            @Nullable Retries retries,
            RouteRule route,
            boolean rehearsed,
            boolean followed,
            Ticker ticker) {
        this.settings = settings;
        this.primary = primary;
        this.chain = List.copyOf(chain);
        this.links = array(this.chain);
        this.shortCut = shortCut;
        List<Stage<?, ?, ?>> all = new ArrayList<>();
        all.add(primary);
        all.addAll(shortCut == null ? List.of() : shortCut.stages());
        all.addAll(chain);
        this.allStages = List.copyOf(all);
        this.retries = retries;
        this.route = route;
        this.rehearsed = rehearsed;
        this.ticker = ticker;
        this.budgetNanos = Spans.nanos(settings.budget());
        long primaryAndChain = Spans.sum(primary.guard().timeoutNanos(), budgetNanos);
        this.runNanos = Math.min(primaryAndChain, Spans.nanos(settings.deadline()));
        this.settingsOfStages = Stream.concat(Stream.of(primary), this.chain.stream())
                .map(Stage::settings)
                .toList();
        this.goesByLane = primary.guard().isHere()
                && !settings.effect().writes()
                && settings.effect() != Effect.FAIL_CLOSED
                && retries == null
                && shortCut == null
                && route.isAlwaysFull()
                && !followed;
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
            Stage<C, ?, R> link = chain.get(place);
            if (link.isClosed()) {
                return NO_LINK; // those that are passed are booked as not for the trigger
            }
            if (link.isFor(trigger)) {
                return link.isPlain() ? place : NO_LINK;
            }
        }
        return NO_LINK;
    }

    CommandSettings settings() {
        return settings;
    }

    Stage<C, R, R> primary() {
        return primary;
    }

    List<Stage<C, ?, R>> chain() {
        return chain;
    }

    /** The primary, what comes before it, then the chain in order. */
    List<Stage<?, ?, ?>> allStages() {
        return allStages;
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
        return shortCut == null || shortCut.isOut() ? null : shortCut;
    }

    /** Null when the primary is tried once. */
    @Nullable
    Retries retries() {
        return retries;
    }

    /** Which stages a run asks that begins now. */
    RouteRule route() {
        return route;
    }

    /** Whether calls that the primary answers also ask the chain, now and then. */
    boolean isRehearsed() {
        return rehearsed;
    }

    /** Whether a synchronous run may take the short way. */
    boolean goesByLane() {
        return goesByLane;
    }

    long budgetNanos() {
        return budgetNanos;
    }

    /** When a run that starts now must be over: its own limits, or earlier if the run that it is part of ends earlier. */
    long deadline(Deadline parent, long startNanos) {
        return parent.earlierOf(ticker, startNanos + runNanos);
    }
}
