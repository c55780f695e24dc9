package io.degradable.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.control.ManualOverride;
import io.degradable.control.Switches;
import io.degradable.model.CallOutcome;
import io.degradable.model.EventType;
import io.degradable.model.Source;
import io.degradable.state.CallKind;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * A command as JSON. Its calls are read once, before {@code received}, and everything that is a sum of them is made of that
 * one reading: so the outcomes and those in flight add up to what was received in every answer, not only at rest.
 */
final class CommandJson {

    private final JsonGenerator json;
    private final CommandView command;
    private final Map<CallKind, Long> calls = new LinkedHashMap<>();
    private final long received;

    private CommandJson(JsonGenerator json, CommandView command) {
        this.json = json;
        this.command = command;
        for (CallKind kind : command.possibleCalls()) {
            calls.put(kind, command.calls(kind));
        }
        this.received = command.received();
    }

    static void write(JsonGenerator json, CommandView command, Switches switches) throws IOException {
        new CommandJson(json, command).write(switches);
    }

    private void write(Switches switches) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", command.key().name());
        json.writeStringField("group", command.key().group());
        json.writeStringField("criticality", Json.word(command.criticality()));
        json.writeNumberField("received", received);
        json.writeNumberField("inFlight", received - sum(kind -> true));
        writeOutcomes();
        writeServed();
        writeEvents();
        writeCalls();
        json.writeObjectFieldStart("age");
        json.writeNumberField("count", command.servedCopies());
        json.writeNumberField("sumSeconds", Json.seconds(command.servedAgeNanos()));
        json.writeEndObject();
        json.writeNumberField("elapsedSeconds", Json.seconds(command.elapsedNanos()));
        json.writeArrayFieldStart("stages");
        for (StageView stage : command.stages()) {
            StageJson.write(json, stage);
        }
        json.writeEndArray();
        writeSwitch(switches.decidesFor(command.key().name()));
        json.writeNumberField("primaryShare", command.primaryShare());
        SteeringJson.writeOrigins(json, "settings", command.origins());
        json.writeEndObject();
    }

    /** What decides for its calls; null when no switch does. */
    private void writeSwitch(Optional<ManualOverride> held) throws IOException {
        if (held.isEmpty()) {
            json.writeNullField("switch");
            return;
        }
        json.writeObjectFieldStart("switch");
        json.writeStringField("target", held.get().target().text());
        json.writeStringField("position", held.get().position().text());
        json.writeEndObject();
    }

    private void writeOutcomes() throws IOException {
        json.writeObjectFieldStart("outcomes");
        for (CallOutcome outcome : CallOutcome.values()) {
            json.writeNumberField(outcome.tag(), sum(kind -> kind.outcome() == outcome));
        }
        json.writeEndObject();
    }

    private void writeServed() throws IOException {
        json.writeObjectFieldStart("served");
        for (Source source : Source.values()) {
            writeServed(source);
        }
        writeServed(null);
        json.writeEndObject();
    }

    private void writeServed(@Nullable Source source) throws IOException {
        json.writeNumberField(Source.tagOf(source), sum(kind -> kind.source() == source));
    }

    private void writeEvents() throws IOException {
        json.writeObjectFieldStart("events");
        for (EventType event : EventType.values()) {
            json.writeNumberField(event.name(), command.events(event));
        }
        json.writeEndObject();
    }

    private void writeCalls() throws IOException {
        json.writeArrayFieldStart("calls");
        for (Map.Entry<CallKind, Long> call : calls.entrySet()) {
            json.writeStartObject();
            json.writeStringField("outcome", call.getKey().outcome().tag());
            json.writeStringField("source", Source.tagOf(call.getKey().source()));
            json.writeStringField("trigger", call.getKey().trigger().tag());
            json.writeNumberField("count", call.getValue());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private long sum(Predicate<CallKind> which) {
        return calls.entrySet().stream()
                .filter(call -> which.test(call.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
