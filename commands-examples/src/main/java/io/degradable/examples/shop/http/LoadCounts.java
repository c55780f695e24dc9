package io.degradable.examples.shop.http;

import java.util.Map;

/**
 * What a {@link Load} has seen so far. At rest, sent = all of bySource + errors.
 *
 * @param sent requests sent
 * @param dropped requests due but not sent, because too many were in flight
 * @param errors requests that got no answer, or one that does not name its source
 * @param bySource answers by the value of their {@code X-Data-Source} header
 */
public record LoadCounts(long sent, long dropped, long errors, Map<String, Long> bySource) {
    public LoadCounts {
        bySource = Map.copyOf(bySource);
    }
}
