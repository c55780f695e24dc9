package io.degradable.examples.shop.backend;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One fault from the moment it is set until the next one is. Two episodes of equal faults are two: what waits in one is not
 * moved by a timer of the other.
 *
 * <p>Threading: any thread may ask.
 */
final class Episode {
    /** 2^64 divided by the golden ratio: its multiples spread evenly, however many of them one takes. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Fault fault;
    private final AtomicLong asked = new AtomicLong();

    Episode(Fault fault) {
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }

    /**
     * Whether the next request gets an error. Not drawn at random, so that a share is kept exactly enough to be tested and
     * the same in every run; not every n-th either, so that a client that asks twice does not always find the good one.
     */
    boolean nextFails() {
        double spread = ((asked.incrementAndGet() * GOLDEN) >>> 11) * 0x1.0p-53;
        return spread < fault.errorRate();
    }
}
