package io.degradable.stream;

import static io.degradable.stream.HystrixCommandEvent.number;

import com.fasterxml.jackson.core.JsonGenerator;
import io.degradable.state.PoolView;
import java.io.IOException;

/**
 * One event of type {@code HystrixThreadPool}: every field that Hystrix sends, in its order.
 *
 * @param executed bodies that ended in the window
 * @param mostActive the most that were seen to run at once
 * @param refused calls that found no room in the window
 */
record HystrixPoolEvent(PoolView pool, long nowMillis, long executed, long mostActive, long refused)
        implements Json.Value {

    @Override
    public void write(JsonGenerator json) throws IOException {
        int active = pool.active();
        int queued = pool.queued();
        long completed = pool.completed();
        json.writeStartObject();
        json.writeStringField("type", "HystrixThreadPool");
        json.writeStringField("name", pool.name());
        json.writeNumberField("currentTime", nowMillis);
        number(json, "currentActiveCount", active);
        number(json, "currentCompletedTaskCount", completed);
        number(json, "currentCorePoolSize", pool.size());
        number(json, "currentLargestPoolSize", pool.largestThreads());
        number(json, "currentMaximumPoolSize", pool.size());
        number(json, "currentPoolSize", pool.threads());
        number(json, "currentQueueSize", queued);
        number(json, "currentTaskCount", completed + active + queued);
        number(json, "rollingCountThreadsExecuted", executed);
        number(json, "rollingMaxActiveThreads", mostActive);
        number(json, "rollingCountCommandRejections", refused);
        number(json, "propertyValue_queueSizeRejectionThreshold", pool.queue());
        number(
                json,
                "propertyValue_metricsRollingStatisticalWindowInMilliseconds",
                HystrixCommandEvent.WINDOW.toMillis());
        json.writeNumberField("reportingHosts", 1);
        json.writeEndObject();
    }
}
