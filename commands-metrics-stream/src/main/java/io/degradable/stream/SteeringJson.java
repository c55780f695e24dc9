package io.degradable.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.Commands;
import io.degradable.control.Change;
import io.degradable.control.ManualOverride;
import io.degradable.control.StoreState;
import io.degradable.settings.Origin;
import io.degradable.settings.SettingFault;
import io.degradable.settings.SettingTexts;
import io.degradable.state.ConfigurationView;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What steers a container as JSON: what hands hold, what was changed, what its sources of settings say. */
final class SteeringJson {

    private SteeringJson() {}

    static void write(JsonGenerator json, Commands commands) throws IOException {
        json.writeArrayFieldStart("switches");
        for (ManualOverride held : commands.switches().all()) {
            write(json, held);
        }
        json.writeEndArray();
        writeStore(json, commands.switches().store());
        json.writeArrayFieldStart("changes");
        for (Change change : commands.switches().changes()) {
            write(json, change);
        }
        json.writeEndArray();
        write(json, commands.configuration());
    }

    private static void write(JsonGenerator json, ManualOverride held) throws IOException {
        json.writeStartObject();
        json.writeStringField("target", held.target().text());
        json.writeStringField("position", held.position().text());
        json.writeStringField("author", held.author());
        json.writeStringField("reason", held.reason());
        json.writeNumberField("since", held.since().toEpochMilli());
        writeMoment(json, "expiresAt", held.expiresAt());
        json.writeStringField("origin", Json.word(held.origin()));
        json.writeBooleanField("pending", held.pending());
        json.writeStringField("notServed", held.notServed());
        json.writeBooleanField("stored", held.stored());
        json.writeEndObject();
    }

    /** Null when there is none. */
    private static void writeStore(JsonGenerator json, Optional<StoreState> store) throws IOException {
        if (store.isEmpty()) {
            json.writeNullField("switchStore");
            return;
        }
        StoreState state = store.get();
        json.writeObjectFieldStart("switchStore");
        json.writeStringField("name", state.name());
        json.writeBooleanField("reachable", state.reachable());
        writeMoment(json, "since", state.since());
        json.writeStringField("lastFault", state.lastFault());
        json.writeNumberField("waiting", state.waiting());
        json.writeArrayFieldStart("unreadable");
        for (String entry : state.unreadable()) {
            json.writeString(entry);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Change change) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", change.id());
        json.writeNumberField("at", change.at().toEpochMilli());
        json.writeStringField("kind", Json.word(change.kind()));
        json.writeStringField("subject", change.subject());
        json.writeStringField("from", change.from());
        json.writeStringField("to", change.to());
        json.writeStringField("author", change.author());
        json.writeStringField("reason", change.reason());
        writeMoment(json, "expiresAt", change.expiresAt());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, ConfigurationView configuration) throws IOException {
        json.writeObjectFieldStart("configuration");
        json.writeArrayFieldStart("sources");
        for (ConfigurationView.Source source : configuration.sources()) {
            json.writeStartObject();
            json.writeStringField("name", source.name());
            json.writeNumberField("properties", source.properties());
            writeMoment(json, "readAt", source.readAt());
            json.writeStringField("lastFault", source.lastFault());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("faults");
        for (SettingFault fault : configuration.faults()) {
            json.writeStartObject();
            json.writeStringField("property", fault.property());
            json.writeStringField("value", fault.value());
            json.writeStringField("source", fault.source());
            json.writeStringField("subject", fault.subject());
            json.writeStringField("problem", fault.problem());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("outdone");
        for (SettingTexts.Loser loser : configuration.outdone()) {
            json.writeStartObject();
            json.writeStringField("property", loser.property());
            json.writeStringField("value", loser.value());
            json.writeStringField("source", loser.source());
            json.writeStringField("winner", loser.winner());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("pools");
        for (Map.Entry<String, Map<String, Origin>> pool : new TreeMap<>(configuration.pools()).entrySet()) {
            writeOrigins(json, pool.getKey(), pool.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Each setting with its value and who has said it. */
    static void writeOrigins(JsonGenerator json, String field, Map<String, Origin> origins) throws IOException {
        json.writeObjectFieldStart(field);
        for (Map.Entry<String, Origin> setting : origins.entrySet()) {
            Origin origin = setting.getValue();
            json.writeObjectFieldStart(setting.getKey());
            json.writeStringField("value", origin.value());
            json.writeStringField("from", Json.word(origin.from()));
            if (!origin.property().isEmpty()) {
                json.writeStringField("property", origin.property());
                json.writeStringField("source", origin.source());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void writeMoment(JsonGenerator json, String field, Optional<Instant> moment) throws IOException {
        if (moment.isEmpty()) {
            json.writeNullField(field);
        } else {
            json.writeNumberField(field, moment.get().toEpochMilli());
        }
    }
}
