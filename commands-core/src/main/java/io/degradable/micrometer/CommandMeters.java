package io.degradable.micrometer;

import io.degradable.model.CallOutcome;
import io.degradable.model.CircuitState;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.Trigger;
import io.degradable.settings.BulkheadSettings;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The meters of a command and its stages. Every value of every tag is known beforehand: the names of commands and stages
 * out of the code, the rest out of enums, and of the kinds of call only those that the chain can produce.
 *
 * <p>Threading: immutable; whoever registers the meters keeps this, see {@link Binding}.
 */
final class CommandMeters {

    /** A skipped stage never comes to its guard, so the guard has no figures for it. */
    private static final List<StageOutcome> OUTCOMES = Stream.of(StageOutcome.values())
            .filter(outcome -> outcome != StageOutcome.SKIPPED)
            .toList();

    private static final double NANOS_PER_SECOND = 1e9;

    private final CommandView command;
    private final List<StageView> stages;
    private final Tags tags;
    private final Tags tagsWithGroup;

    CommandMeters(CommandView command) {
        this.command = command;
        this.stages = command.stages();
        this.tags = Tags.of("command", command.key().name());
        this.tagsWithGroup = tags.and("group", command.key().group());
    }

    /** Makes the meters; those that exist are left alone. */
    List<Meter> register(MeterRegistry registry) {
        List<Meter> meters = new ArrayList<>();
        for (CallKind kind : command.possibleCalls()) {
            meters.add(calls(kind).register(registry));
        }
        for (EventType event : EventType.values()) {
            meters.add(events(event).register(registry));
        }
        for (Source source : new Source[] {Source.SPARE, Source.CACHE, Source.STATIC}) {
            meters.add(fallbackSource(source).register(registry));
        }
        meters.add(latency().register(registry));
        meters.add(ageCount().register(registry));
        meters.add(ageSum().register(registry));
        meters.add(inFlight().register(registry));
        for (StageView stage : stages) {
            register(stage, registry, meters);
        }
        return meters;
    }

    private void register(StageView stage, MeterRegistry registry, List<Meter> meters) {
        for (StageOutcome outcome : OUTCOMES) {
            meters.add(stageTimer(stage, outcome).register(registry));
        }
        boolean readInMemory = stage.settings().bulkhead() instanceof BulkheadSettings.Inline;
        if (!readInMemory) { // a breaker that is switched off has them too: it can be held by hand
            for (CircuitState state : CircuitState.values()) {
                meters.add(circuit(stage, state).register(registry));
            }
        }
        if (!stage.settings().runsOnCaller()) { // only a caller that is elsewhere can leave
            meters.add(orphans(stage).register(registry));
        }
    }

    private FunctionCounter.Builder<CommandView> calls(CallKind kind) {
        return FunctionCounter.builder("degradable.calls", command, view -> view.calls(kind))
                .description("Finished calls by how they ended, who answered, and why the primary did not")
                .baseUnit("calls")
                .tags(tagsWithGroup)
                .tag("outcome", kind.outcome().tag())
                .tag("source", Source.tagOf(kind.source()))
                .tag("trigger", kind.trigger().tag());
    }

    private FunctionCounter.Builder<CommandView> events(EventType event) {
        return FunctionCounter.builder("degradable.events", command, view -> view.events(event))
                .description("What finished calls have moved, in the words of Hystrix")
                .baseUnit("events")
                .tags(tagsWithGroup)
                .tag("event", event.name());
    }

    private FunctionCounter.Builder<CommandView> fallbackSource(Source source) {
        Set<CallKind> kinds = command.possibleCalls().stream()
                .filter(kind -> kind.outcome() == CallOutcome.DEGRADED
                        && kind.source() == source
                        && kind.trigger() != Trigger.RESPONSE_FROM_CACHE) // a primary that is well is not asked either
                .collect(Collectors.toUnmodifiableSet());
        return FunctionCounter.builder("fallback.source", command, view -> sum(view, kinds))
                .description("Answers that came from elsewhere than the primary")
                .tags(tags)
                .tag("source", source.tag());
    }

    private static long sum(CommandView view, Set<CallKind> kinds) {
        return kinds.stream().mapToLong(view::calls).sum();
    }

    private FunctionTimer.Builder<CommandView> latency() {
        return FunctionTimer.builder(
                        "degradable.latency",
                        command,
                        view -> sum(view, view.possibleCalls()),
                        CommandView::elapsedNanos,
                        TimeUnit.NANOSECONDS)
                .description("Finished calls from their begin to their end, chain included")
                .tags(tags);
    }

    private FunctionCounter.Builder<CommandView> ageCount() {
        return FunctionCounter.builder("degradable.age.count", command, CommandView::servedCopies)
                .description("Copies that were served")
                .tags(tags);
    }

    private FunctionCounter.Builder<CommandView> ageSum() {
        return FunctionCounter.builder("degradable.age.sum", command, view -> view.servedAgeNanos() / NANOS_PER_SECOND)
                .description("Ages of the copies that were served, added up")
                .baseUnit("seconds")
                .tags(tags);
    }

    private Gauge.Builder<CommandView> inFlight() {
        return Gauge.builder("degradable.inflight", command, CommandView::inFlight)
                .description("Calls that have not ended")
                .tags(tags);
    }

    private FunctionTimer.Builder<StageView> stageTimer(StageView stage, StageOutcome outcome) {
        return FunctionTimer.builder(
                        "degradable.stage",
                        stage,
                        view -> view.ended(outcome),
                        view -> view.nanos(outcome),
                        TimeUnit.NANOSECONDS)
                .description("Attempts of a stage's guard, which a spare command shares with its direct users")
                .tags(tagsOf(stage))
                .tag("outcome", tagOf(outcome));
    }

    private Gauge.Builder<StageView> circuit(StageView stage, CircuitState state) {
        return Gauge.builder("degradable.circuit", stage, view -> view.circuit().state() == state ? 1 : 0)
                .description("1 for the state that the breaker is in")
                .tags(tagsOf(stage))
                .tag("state", tagOf(state));
    }

    private Gauge.Builder<StageView> orphans(StageView stage) {
        return Gauge.builder("degradable.orphans", stage, StageView::orphans)
                .description("Bodies that run on although their caller has gone")
                .tags(tagsOf(stage));
    }

    private Tags tagsOf(StageView stage) {
        return tags.and("stage", stage.name());
    }

    private static String tagOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
