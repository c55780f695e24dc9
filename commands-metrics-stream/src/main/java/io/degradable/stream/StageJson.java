package io.degradable.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.settings.BreakerSettings;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CircuitProbes;
import io.degradable.state.CircuitRamp;
import io.degradable.state.CircuitView;
import io.degradable.state.CircuitWindow;
import io.degradable.state.Latency;
import io.degradable.state.RehearsalView;
import io.degradable.state.StageView;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A stage as JSON. The block {@code chain} counts the runs of this command; everything else is the guard's, which a spare
 * command shares with its direct users.
 */
final class StageJson {

    private StageJson() {}

    static void write(JsonGenerator json, StageView stage) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", stage.name());
        json.writeStringField("kind", stage.kind().tag());
        json.writeStringField("refersTo", stage.refersTo());
        writeChain(json, stage);
        writeGuard(json, stage);
        writeBreaker(json, stage.circuit(), stage.settings().breaker());
        writeBulkhead(json, stage);
        json.writeNumberField("orphans", stage.orphans());
        json.writeNumberField("lateSuccesses", stage.lateSuccesses());
        json.writeNumberField("lateFailures", stage.lateFailures());
        json.writeNumberField("overruns", stage.overruns());
        json.writeNumberField("userMistakes", stage.userMistakes());
        json.writeNumberField("retries", stage.retries());
        json.writeNumberField("retriesOverBudget", stage.retriesOverBudget());
        writeRehearsal(json, stage.rehearsal());
        writeLatency(json, stage.recentLatency());
        writeTimeout(json, stage.settings());
        json.writeEndObject();
    }

    private static void writeChain(JsonGenerator json, StageView stage) throws IOException {
        Map<StageReason, Long> left = read(stage::left);
        json.writeObjectFieldStart("chain");
        json.writeNumberField(
                "reached", left.values().stream().mapToLong(Long::longValue).sum());
        writeReasons(json, left);
        json.writeEndObject();
    }

    private static void writeGuard(JsonGenerator json, StageView stage) throws IOException {
        Map<StageReason, Long> ended = read(stage::ended);
        json.writeObjectFieldStart("guard");
        writeReasons(json, ended);
        json.writeObjectFieldStart("outcomes");
        for (StageOutcome outcome : StageOutcome.values()) {
            long sum = 0;
            for (Map.Entry<StageReason, Long> reason : ended.entrySet()) {
                sum += reason.getKey().outcome() == outcome ? reason.getValue() : 0;
            }
            json.writeNumberField(Json.word(outcome), sum);
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Null for a stage that is not rehearsed. */
    private static void writeRehearsal(JsonGenerator json, Optional<RehearsalView> rehearsal) throws IOException {
        if (rehearsal.isEmpty()) {
            json.writeNullField("rehearsal");
            return;
        }
        RehearsalView view = rehearsal.get();
        json.writeObjectFieldStart("rehearsal");
        json.writeNumberField("asked", view.asked());
        json.writeNumberField("answers", view.answers());
        writeReasons(json, read(reason -> view.ended().getOrDefault(reason, 0L)));
        json.writeNumberField("meanAgeMs", view.meanAge().toMillis());
        json.writeNumberField("longestAgeMs", view.longestAge().toMillis());
        json.writeEndObject();
    }

    private static Map<StageReason, Long> read(ToLongFunction<StageReason> count) {
        Map<StageReason, Long> counts = new EnumMap<>(StageReason.class);
        for (StageReason reason : StageReason.values()) {
            counts.put(reason, count.applyAsLong(reason));
        }
        return counts;
    }

    private static void writeReasons(JsonGenerator json, Map<StageReason, Long> counts) throws IOException {
        json.writeObjectFieldStart("reasons");
        for (Map.Entry<StageReason, Long> reason : counts.entrySet()) {
            json.writeNumberField(Json.word(reason.getKey()), reason.getValue());
        }
        json.writeEndObject();
    }

    private static void writeBreaker(JsonGenerator json, CircuitView circuit, BreakerSettings settings)
            throws IOException {
        json.writeObjectFieldStart("breaker");
        json.writeStringField("state", Json.word(circuit.state()));
        json.writeNumberField("sinceMs", circuit.since().toMillis());
        json.writeStringField("why", circuit.why());
        json.writeNumberField("opensForMs", circuit.opensFor().toMillis());
        json.writeNumberField("good", circuit.good());
        json.writeNumberField("bad", circuit.bad());
        json.writeNumberField("opened", circuit.opened());
        json.writeNumberField("failedRounds", circuit.failedRounds());
        json.writeStringField("forcedBy", circuit.forcedBy().orElse(null));
        writeWindow(json, circuit.window());
        writeProbes(json, circuit.probes());
        writeRamp(json, circuit.ramp());
        writeSettings(json, settings);
        json.writeEndObject();
    }

    private static void writeWindow(JsonGenerator json, CircuitWindow window) throws IOException {
        json.writeObjectFieldStart("window");
        json.writeNumberField("good", window.good());
        json.writeNumberField("failed", window.failed());
        json.writeNumberField("slow", window.slow());
        json.writeNumberField("slowInFlight", window.slowInFlight());
        json.writeNumberField("failuresInRow", window.failuresInRow());
        json.writeEndObject();
    }

    private static void writeProbes(JsonGenerator json, CircuitProbes probes) throws IOException {
        json.writeObjectFieldStart("probes");
        json.writeNumberField("inFlight", probes.inFlight());
        json.writeNumberField("good", probes.good());
        json.writeNumberField("bad", probes.bad());
        json.writeNumberField("needed", probes.needed());
        json.writeNumberField("of", probes.of());
        json.writeNumberField("leaseEndsInMs", probes.leaseEndsIn().toMillis());
        json.writeEndObject();
    }

    private static void writeRamp(JsonGenerator json, CircuitRamp ramp) throws IOException {
        json.writeObjectFieldStart("ramp");
        json.writeNumberField("step", ramp.step());
        json.writeNumberField("steps", ramp.steps());
        json.writeNumberField("sharePercentage", ramp.sharePercentage());
        json.writeNumberField("good", ramp.good());
        json.writeNumberField("bad", ramp.bad());
        json.writeNumberField("overdue", ramp.overdue());
        json.writeNumberField("decisions", ramp.decisions());
        json.writeEndObject();
    }

    private static void writeSettings(JsonGenerator json, BreakerSettings settings) throws IOException {
        json.writeObjectFieldStart("settings");
        json.writeBooleanField("enabled", settings.enabled());
        json.writeNumberField("requestVolumeThreshold", settings.requestVolumeThreshold());
        json.writeNumberField("errorThresholdPercentage", settings.errorThresholdPercentage());
        json.writeNumberField("failureRate", settings.failureRate());
        json.writeNumberField("slowRate", settings.slowRate());
        json.writeNumberField("consecutiveFailures", settings.consecutiveFailures());
        json.writeNumberField("windowMs", settings.window().toMillis());
        json.writeNumberField("buckets", settings.buckets());
        json.writeNumberField("countWindow", settings.countWindow());
        json.writeNumberField("sleepWindowMs", settings.sleepWindow().toMillis());
        json.writeNumberField("maxSleepWindowMs", settings.maxSleepWindow().toMillis());
        json.writeNumberField("probes", settings.probes());
        json.writeNumberField("probeSuccessPercentage", settings.probeSuccessPercentage());
        json.writeArrayFieldStart("rampShares");
        for (int share : settings.rampShares()) {
            json.writeNumber(share);
        }
        json.writeEndArray();
        json.writeNumberField("rampDecisions", settings.rampDecisions());
        json.writeEndObject();
    }

    private static void writeBulkhead(JsonGenerator json, StageView stage) throws IOException {
        BulkheadSettings bulkhead = stage.settings().bulkhead();
        json.writeObjectFieldStart("bulkhead");
        BulkheadSettings.ThreadPool pool = bulkhead instanceof BulkheadSettings.ThreadPool its ? its : null;
        json.writeStringField("kind", kindOf(bulkhead));
        json.writeStringField("pool", pool == null ? null : pool.name());
        if (stage.limit() == 0) {
            json.writeNullField("limit");
        } else {
            json.writeNumberField("limit", stage.limit());
        }
        json.writeNumberField("queue", pool == null ? 0 : pool.queue());
        json.writeNumberField("active", stage.active());
        json.writeNumberField("queued", stage.queued());
        json.writeEndObject();
    }

    private static void writeLatency(JsonGenerator json, Latency latency) throws IOException {
        json.writeObjectFieldStart("latency");
        json.writeNumberField("count", latency.count());
        json.writeNumberField("meanMs", Json.millis(latency.mean()));
        json.writeNumberField("p50", Json.millis(latency.percentile(50)));
        json.writeNumberField("p90", Json.millis(latency.percentile(90)));
        json.writeNumberField("p99", Json.millis(latency.percentile(99)));
        json.writeNumberField("p99_5", Json.millis(latency.percentile(99.5)));
        json.writeEndObject();
    }

    private static void writeTimeout(JsonGenerator json, GuardSettings settings) throws IOException {
        if (settings.timeout().equals(GuardSettings.NO_TIMEOUT)) {
            json.writeNullField("timeoutMs");
        } else {
            json.writeNumberField("timeoutMs", settings.timeout().toMillis());
        }
    }

    private static String kindOf(BulkheadSettings bulkhead) {
        if (bulkhead instanceof BulkheadSettings.ThreadPool) {
            return "thread_pool";
        }
        if (bulkhead instanceof BulkheadSettings.Semaphore) {
            return "semaphore";
        }
        return bulkhead instanceof BulkheadSettings.VirtualThreads ? "virtual_threads" : "inline";
    }
}
