package io.degradable.testing;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.CircuitChanged;
import io.degradable.event.CommandEvent.RetryBudgetExhausted;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.CommandEvent.TemplateRefused;
import io.degradable.event.CommandEvent.TemplateSwapped;
import io.degradable.model.CallId;
import io.degradable.model.CircuitState;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.model.StageReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Assertions on what {@link RecordedEvents} heard of one command. Each throws an {@link AssertionError} whose message shows
 * all that was heard, of other commands as well, and whose cause is what the last call failed with.
 *
 * <p>Threading: immutable; what is heard later is not looked at.
 */
public final class EventsAssert {

    private final String command;
    private final List<CommandEvent> heard;
    private final List<CallEnded> calls = new ArrayList<>();
    private final List<CircuitChanged> changes = new ArrayList<>();
    private final List<CommandEvent> others = new ArrayList<>();

    EventsAssert(String command, List<CommandEvent> heard) {
        this.command = command;
        this.heard = heard;
        for (CommandEvent event : heard) {
            if (!event.command().name().equals(command)) {
                continue;
            }
            if (event instanceof CallEnded call) {
                calls.add(call);
            } else if (event instanceof CircuitChanged change) {
                changes.add(change);
            } else {
                others.add(event);
            }
        }
        check(!calls.isEmpty() || !changes.isEmpty() || !others.isEmpty(), "events of " + command, "there are none");
    }

    /** So many of its calls moved this. */
    public EventsAssert moved(EventType type, int times) {
        Objects.requireNonNull(type, "type must not be null");
        long found = calls.stream().filter(call -> call.moved().contains(type)).count();
        return check(
                found == times,
                type + " moved by " + counted(times) + " of " + command,
                "was moved by " + found + " of " + calls.size());
    }

    /** So many of its calls were answered by this one; null counts those that nobody answered. */
    public EventsAssert wasAnsweredBy(@Nullable Source source, int times) {
        long found = calls.stream().filter(call -> call.source() == source).count();
        return check(
                found == times,
                counted(times) + " of " + command + " answered by " + Source.tagOf(source),
                "were " + found + " of " + calls.size());
    }

    /** What each stage of its last call did, in the words of {@link ResultAssert#hasTrail}. */
    public EventsAssert hasTrail(String... expected) {
        List<StageReport> trail = calls.isEmpty() ? List.of() : lastTrail();
        return check(
                Trails.match(trail, expected),
                "the last call of " + command + " with the trail " + List.of(expected),
                "was " + Trails.words(trail));
    }

    private List<StageReport> lastTrail() {
        List<StageReport> trail = new ArrayList<>();
        for (CommandEvent event : heard) {
            if (event instanceof StageEnded stage
                    && stage.callId() == lastCall().callId()) {
                trail.add(report(stage));
            }
        }
        return trail;
    }

    private CallEnded lastCall() {
        return calls.get(calls.size() - 1);
    }

    private static StageReport report(StageEnded stage) {
        return new StageReport(stage.stage(), stage.kind(), stage.reason(), stage.elapsed(), stage.failure());
    }

    /** Its breaker has made this move, once or more. */
    public EventsAssert hasChanged(CircuitState from, CircuitState to) {
        return hasChanged("primary", from, to);
    }

    /** The breaker of one of its stages has made this move, once or more. */
    public EventsAssert hasChanged(String stage, CircuitState from, CircuitState to) {
        List<String> found = changes.stream()
                .filter(change -> change.stage().equals(stage))
                .map(change -> change.from() + " to " + change.to())
                .toList();
        String expected = from + " to " + to;
        return check(
                found.contains(expected),
                "circuit " + command + "/" + stage + " from " + expected,
                "moves are " + found);
    }

    /** A template that became known with it has taken this version, once or more. */
    public EventsAssert hasTaken(String template, String version) {
        List<String> found = new ArrayList<>();
        for (CommandEvent event : others) {
            if (event instanceof TemplateSwapped swapped && swapped.template().equals(template)) {
                found.add(swapped.to());
            }
        }
        return check(
                found.contains(version), "template " + template + " to take version " + version, "it took " + found);
    }

    private static String counted(int calls) {
        return calls == 1 ? "1 call" : calls + " calls";
    }

    private EventsAssert check(boolean holds, String expected, String found) {
        if (!holds) {
            AssertionError error =
                    new AssertionError("expected " + expected + ", " + found + "\nheard, in order:" + lines());
            if (!calls.isEmpty()) {
                error.initCause(lastCall().cause());
            }
            throw error;
        }
        return this;
    }

    private String lines() {
        StringBuilder lines = new StringBuilder(heard.isEmpty() ? " nothing" : "");
        heard.forEach(event -> lines.append("\n    ").append(line(event)));
        return lines.toString();
    }

    private static String line(CommandEvent event) {
        String command = event.command().name();
        if (event instanceof StageEnded stage) {
            return command + ": " + report(stage);
        }
        if (event instanceof CallEnded call) {
            return command + ": " + call.outcome().tag() + ", from " + Source.tagOf(call.source()) + ", moved "
                    + call.moved() + ", call " + CallId.text(call.callId());
        }
        if (event instanceof RetryBudgetExhausted retries) {
            return command + ": no budget for retries, " + retries.overBudget() + " denied";
        }
        if (event instanceof TemplateSwapped swapped) {
            return command + ": template " + swapped.template() + " from " + swapped.from() + " to " + swapped.to();
        }
        if (event instanceof TemplateRefused refused) {
            return command + ": template " + refused.template() + " stays at " + refused.version() + ": "
                    + refused.why();
        }
        CircuitChanged change = (CircuitChanged) event;
        return command + ": circuit of " + change.stage() + " from " + change.from() + " to " + change.to() + ": "
                + change.why();
    }
}
