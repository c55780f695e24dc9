package io.degradable.state;

import java.time.Duration;

/**
 * Durations as counts in buckets, the same buckets everywhere.
 *
 * <p>Threading: immutable.
 */
public interface Latency {

    /** How many durations were counted. */
    long count();

    /** A percentile, 0 to 100, as the upper bound of its bucket; zero without any duration. */
    Duration percentile(double percentile);

    /** The mean, as far as buckets tell: each duration stands at the middle of its bucket. */
    Duration mean();
}
