package io.degradable.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.model.CircuitState;
import io.degradable.model.EventType;
import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CommandView;
import io.degradable.state.Latency;
import io.degradable.state.StageView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * One event of type {@code HystrixCommand}: every field that Hystrix sends, in its order, and no other, as Turbine stops at
 * keys that change and at numbers that are not whole.
 *
 * @param name of the tile it makes on a dashboard
 * @param events what moved in the {@link #WINDOW}
 * @param concurrent bodies or calls in flight now
 * @param guard whose breaker, bulkhead, settings and latency are shown
 */
record HystrixCommandEvent(
        String name, String group, long nowMillis, Map<EventType, Long> events, long concurrent, StageView guard) {

    /** What views look back at when they say "recent". */
    static final Duration WINDOW = Duration.ofSeconds(10);

    private static final String[] PERCENTILES = {"0", "25", "50", "75", "90", "95", "99", "99.5", "100"};

    /** The command as a whole, then its chain. */
    static List<HystrixCommandEvent> allOf(CommandView command, long nowMillis) {
        String name = command.key().name();
        String group = command.key().group();
        List<StageView> stages = command.stages();
        List<HystrixCommandEvent> all = new ArrayList<>();
        all.add(new HystrixCommandEvent(
                name, group, nowMillis, command.recentEvents(), command.inFlight(), stages.get(0)));
        for (StageView stage : stages.subList(1, stages.size())) {
            all.add(new HystrixCommandEvent(
                    name + ":" + stage.name(), group, nowMillis, recentEvents(stage), stage.active(), stage));
        }
        return all;
    }

    private static Map<EventType, Long> recentEvents(StageView stage) {
        Map<EventType, Long> events = new EnumMap<>(EventType.class);
        for (StageReason reason : StageReason.values()) {
            EventType event = eventOf(reason);
            if (event != null) {
                events.merge(event, stage.recent(reason), Long::sum);
            }
        }
        return events;
    }

    /** A body that finds nothing has done its work, as one that returns null has for Hystrix. */
    private static @Nullable EventType eventOf(StageReason reason) {
        return switch (reason) {
            case ANSWER, ABSENT, TOO_OLD, FROM_THE_FUTURE, NULL_ANSWER -> EventType.SUCCESS;
            case EXCEPTION, FATAL, UNCLASSED, FAILED_CLOSED -> EventType.FAILURE;
            case TIMEOUT, BUDGET -> EventType.TIMEOUT;
            case BAD_REQUEST -> EventType.BAD_REQUEST;
            case SHORT_CIRCUITED -> EventType.SHORT_CIRCUITED;
            case THREAD_POOL_FULL, QUEUE_TIMEOUT -> EventType.THREAD_POOL_REJECTED;
            case SEMAPHORE_FULL -> EventType.SEMAPHORE_REJECTED;
            // Hystrix has no word for these, or the guard never sees them.
            case OVERLOADED,
                    CANCELLED,
                    AT_MOST,
                    QUOTA,
                    REFILL,
                    YOUNG_COPY,
                    SWITCHED,
                    OUT,
                    RAMPED,
                    NOT_FOR_TRIGGER,
                    NOT_FOR_FAILURE,
                    OUTCOME_UNKNOWN,
                    UNHEALTHY,
                    NO_TIME_LEFT -> null;
        };
    }

    void write(JsonGenerator json, long mostConcurrent) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", "HystrixCommand");
        json.writeStringField("name", name);
        json.writeStringField("group", group);
        json.writeNumberField("currentTime", nowMillis);
        CircuitState circuit = guard.circuit().state();
        writeHealth(json, circuit);
        writeCounts(json);
        number(json, "currentConcurrentExecutionCount", concurrent);
        number(json, "rollingMaxConcurrentExecutionCount", mostConcurrent);
        Latency latency = guard.recentLatency();
        writeLatency(json, "latencyExecute", latency);
        writeLatency(json, "latencyTotal", latency);
        writeSettings(json, guard.settings(), circuit);
        json.writeEndObject();
    }

    private void writeHealth(JsonGenerator json, CircuitState circuit) throws IOException {
        long errors = count(EventType.FAILURE)
                + count(EventType.TIMEOUT)
                + count(EventType.THREAD_POOL_REJECTED)
                + count(EventType.SEMAPHORE_REJECTED);
        long requests = errors + count(EventType.SUCCESS);
        json.writeBooleanField("isCircuitBreakerOpen", !circuit.letsAllThrough());
        number(json, "errorPercentage", requests == 0 ? 0 : errors * 100 / requests);
        number(json, "errorCount", errors);
        number(json, "requestCount", requests);
    }

    private void writeCounts(JsonGenerator json) throws IOException {
        rolling(json, "BadRequests", count(EventType.BAD_REQUEST));
        rolling(json, "CollapsedRequests", 0);
        rolling(json, "Emit", 0);
        rolling(
                json,
                "ExceptionsThrown",
                count(EventType.BAD_REQUEST)
                        + count(EventType.FALLBACK_FAILURE)
                        + count(EventType.FALLBACK_MISSING)
                        + count(EventType.FALLBACK_REJECTION));
        rolling(json, "Failure", count(EventType.FAILURE));
        rolling(json, "FallbackEmit", 0);
        rolling(json, "FallbackFailure", count(EventType.FALLBACK_FAILURE));
        rolling(json, "FallbackMissing", count(EventType.FALLBACK_MISSING));
        rolling(json, "FallbackRejection", count(EventType.FALLBACK_REJECTION));
        rolling(json, "FallbackSuccess", count(EventType.FALLBACK_SUCCESS));
        rolling(json, "ResponsesFromCache", 0); // means the request cache; the timed one has an event of its own
        rolling(json, "SemaphoreRejected", count(EventType.SEMAPHORE_REJECTED));
        rolling(json, "ShortCircuited", count(EventType.SHORT_CIRCUITED));
        rolling(json, "Success", count(EventType.SUCCESS));
        rolling(json, "ThreadPoolRejected", count(EventType.THREAD_POOL_REJECTED));
        rolling(json, "Timeout", count(EventType.TIMEOUT));
    }

    private static void writeLatency(JsonGenerator json, String field, Latency latency) throws IOException {
        number(json, field + "_mean", latency.mean().toMillis());
        json.writeObjectFieldStart(field);
        for (String percentile : PERCENTILES) {
            number(
                    json,
                    percentile,
                    latency.percentile(Double.parseDouble(percentile)).toMillis());
        }
        json.writeEndObject();
    }

    private void writeSettings(JsonGenerator json, GuardSettings settings, CircuitState circuit) throws IOException {
        BulkheadSettings bulkhead = settings.bulkhead();
        long timeoutMillis = settings.timeout().toMillis();
        property(
                json, "circuitBreakerRequestVolumeThreshold", settings.breaker().requestVolumeThreshold());
        property(
                json,
                "circuitBreakerSleepWindowInMilliseconds",
                settings.breaker().sleepWindow().toMillis());
        property(
                json,
                "circuitBreakerErrorThresholdPercentage",
                settings.breaker().errorThresholdPercentage());
        property(json, "circuitBreakerForceOpen", circuit == CircuitState.FORCED_OPEN);
        property(json, "circuitBreakerForceClosed", circuit == CircuitState.FORCED_CLOSED);
        property(json, "circuitBreakerEnabled", settings.breaker().enabled());
        json.writeStringField(
                "propertyValue_executionIsolationStrategy", settings.runsOnCaller() ? "SEMAPHORE" : "THREAD");
        property(json, "executionIsolationThreadTimeoutInMilliseconds", timeoutMillis);
        property(json, "executionTimeoutInMilliseconds", timeoutMillis);
        property(json, "executionIsolationThreadInterruptOnTimeout", settings.interruptOnTimeout());
        json.writeNullField("propertyValue_executionIsolationThreadPoolKeyOverride");
        property(json, "executionIsolationSemaphoreMaxConcurrentRequests", bound(bulkhead));
        property(json, "fallbackIsolationSemaphoreMaxConcurrentRequests", Long.MAX_VALUE); // each stage has its own
        property(json, "metricsRollingStatisticalWindowInMilliseconds", WINDOW.toMillis());
        property(json, "requestCacheEnabled", false);
        property(json, "requestLogEnabled", false);
        json.writeNumberField("reportingHosts", 1);
        json.writeStringField("threadPool", bulkhead instanceof BulkheadSettings.ThreadPool pool ? pool.name() : group);
    }

    private static long bound(BulkheadSettings bulkhead) {
        if (bulkhead instanceof BulkheadSettings.ThreadPool pool) {
            return pool.size();
        }
        return bulkhead instanceof BulkheadSettings.Semaphore semaphore ? semaphore.limit() : Long.MAX_VALUE;
    }

    private long count(EventType event) {
        return events.getOrDefault(event, 0L);
    }

    private static void rolling(JsonGenerator json, String what, long count) throws IOException {
        number(json, "rollingCount" + what, count);
    }

    private static void property(JsonGenerator json, String property, long value) throws IOException {
        number(json, "propertyValue_" + property, value);
    }

    private static void property(JsonGenerator json, String property, boolean value) throws IOException {
        json.writeBooleanField("propertyValue_" + property, value);
    }

    /** A number that Turbine can add up: whole, not negative, 31 bits. */
    static void number(JsonGenerator json, String field, long value) throws IOException {
        json.writeNumberField(field, (int) Math.max(0, Math.min(value, Integer.MAX_VALUE)));
    }
}
