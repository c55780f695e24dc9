package io.degradable.stream;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A figure as it was at each tick of the last while. Where the container keeps only what is so now, or only a total, this
 * is what a stream can know of the window: nothing between two ticks, and nothing from before its first reader came.
 *
 * <p>Threading: used by one thread at a time.
 */
final class RecentSamples {

    private record Sample(long value, long nanos) {}

    private final long windowNanos;
    private final Deque<Sample> samples = new ArrayDeque<>();

    RecentSamples(Duration window) {
        this.windowNanos = window.toNanos();
    }

    void add(long value, long nowNanos) {
        samples.removeIf(sample -> nowNanos - sample.nanos > windowNanos);
        samples.addLast(new Sample(value, nowNanos));
    }

    /** The highest value in the window. */
    long most() {
        return samples.stream().mapToLong(Sample::value).max().orElse(0);
    }

    /** By how much a total has grown in the window. */
    long growth() {
        return samples.isEmpty() ? 0 : samples.getLast().value - samples.getFirst().value;
    }
}
