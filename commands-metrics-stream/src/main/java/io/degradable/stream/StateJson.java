package io.degradable.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.Commands;
import io.degradable.state.CacheView;
import io.degradable.state.CommandView;
import io.degradable.state.PoolView;
import io.degradable.state.StoreView;
import io.degradable.state.TemplateView;
import io.degradable.template.StaticSnapshot;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A container as one JSON object. Fields stand in a fixed order and are always all there; counts run since
 * {@code startedAt}, spans say their unit.
 *
 * <p>Threading: any thread; each call of {@link #bytes} reads anew.
 */
final class StateJson {

    /** Raised when a field changes its meaning or goes away; not for new ones. */
    private static final int SCHEMA = 1;

    private final Commands commands;
    private final String service;

    StateJson(Commands commands, String service) {
        this.commands = commands;
        this.service = service;
    }

    byte[] bytes() {
        return Json.bytes(this::write);
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("schema", SCHEMA);
        json.writeStringField("service", service);
        json.writeNumberField("now", commands.ticker().epochMillis());
        json.writeNumberField("startedAt", commands.startedAt().toEpochMilli());
        writeCommands(json);
        writePools(json);
        writeCaches(json);
        writeTemplates(json);
        writeSnapshots(json);
        SteeringJson.write(json, commands);
        json.writeEndObject();
    }

    private void writeCommands(JsonGenerator json) throws IOException {
        List<? extends CommandView> sorted = commands.commands().stream()
                .sorted(Comparator.comparing(
                        (CommandView command) -> command.key().name()))
                .toList();
        json.writeArrayFieldStart("commands");
        for (CommandView command : sorted) {
            CommandJson.write(json, command, commands.switches());
        }
        json.writeEndArray();
    }

    private void writePools(JsonGenerator json) throws IOException {
        List<PoolView> sorted = commands.pools().stream()
                .sorted(Comparator.comparing(PoolView::name))
                .toList();
        json.writeArrayFieldStart("pools");
        for (PoolView pool : sorted) {
            json.writeStartObject();
            json.writeStringField("name", pool.name());
            json.writeNumberField("limit", pool.size());
            json.writeNumberField("queue", pool.queue());
            json.writeNumberField("active", pool.active());
            json.writeNumberField("queued", pool.queued());
            json.writeNumberField("threads", pool.threads());
            json.writeNumberField("largestThreads", pool.largestThreads());
            json.writeNumberField("completed", pool.completed());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeCaches(JsonGenerator json) throws IOException {
        List<CacheView> sorted = commands.caches().stream()
                .sorted(Comparator.comparing(CacheView::name))
                .toList();
        json.writeArrayFieldStart("caches");
        for (CacheView cache : sorted) {
            json.writeStartObject();
            json.writeStringField("name", cache.name());
            json.writeNumberField("maximum", cache.maximum());
            json.writeNumberField("size", cache.size());
            json.writeNumberField("droppedPuts", cache.droppedPuts());
            if (cache.store().isPresent()) {
                writeStore(json, cache.store().get());
            } else {
                json.writeNullField("store");
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeStore(JsonGenerator json, StoreView store) throws IOException {
        json.writeObjectFieldStart("store");
        json.writeStringField("name", store.name());
        json.writeStringField("forms", store.forms());
        json.writeNumberField("written", store.written());
        json.writeNumberField("olderThanStored", store.olderThanStored());
        json.writeNumberField("failedWrites", store.failedWrites());
        json.writeNumberField("droppedWrites", store.droppedWrites());
        json.writeObjectFieldStart("unreadable");
        for (Map.Entry<String, Long> reason : new TreeMap<>(store.unreadable()).entrySet()) {
            json.writeNumberField(reason.getKey(), reason.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void writeTemplates(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("templates");
        for (TemplateView template : commands.templates().views()) {
            json.writeStartObject();
            json.writeStringField("name", template.name());
            json.writeStringField("version", template.version());
            json.writeNumberField("since", template.since().toEpochMilli());
            json.writeStringField("loadedFrom", template.loadedFrom());
            json.writeNumberField("swaps", template.swaps());
            json.writeNumberField("refused", template.refused());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeSnapshots(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("snapshots");
        for (StaticSnapshot.View snapshot : commands.snapshots()) {
            json.writeStartObject();
            json.writeStringField("name", snapshot.name());
            json.writeNumberField("version", snapshot.version());
            if (snapshot.createdAt() == null) {
                json.writeNullField("createdAt");
                json.writeNullField("ageSeconds");
            } else {
                json.writeNumberField("createdAt", snapshot.createdAt().toEpochMilli());
                json.writeNumberField("ageSeconds", TimeUnit.NANOSECONDS.toSeconds(snapshot.ageNanos()));
            }
            json.writeNumberField("records", snapshot.records());
            json.writeNumberField("bytes", snapshot.bytes());
            json.writeNumberField("taken", snapshot.taken());
            json.writeNumberField("refused", snapshot.refused());
            json.writeStringField("lastRefusal", snapshot.lastRefusal());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
