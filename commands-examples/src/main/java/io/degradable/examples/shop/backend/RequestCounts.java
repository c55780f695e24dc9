package io.degradable.examples.shop.backend;

import javax.annotation.concurrent.GuardedBy;

/**
 * What a backend has seen: requests received, in flight now, and in flight at most.
 *
 * <p>Threading: any thread. One lock for all three, so that the highest number is one that really was.
 */
final class RequestCounts {
    @GuardedBy("this")
    private long received;

    @GuardedBy("this")
    private int inFlight;

    @GuardedBy("this")
    private int maxConcurrent;

    synchronized void started() {
        received++;
        inFlight++;
        maxConcurrent = Math.max(maxConcurrent, inFlight);
    }

    synchronized void ended() {
        inFlight--;
    }

    synchronized long received() {
        return received;
    }

    synchronized int inFlight() {
        return inFlight;
    }

    synchronized int maxConcurrent() {
        return maxConcurrent;
    }

    synchronized void resetMaxConcurrent() {
        maxConcurrent = inFlight;
    }
}
