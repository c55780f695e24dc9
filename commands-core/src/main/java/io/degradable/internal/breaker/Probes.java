package io.degradable.internal.breaker;

import java.util.ArrayList;
import java.util.List;

/**
 * The probes of one half-open phase, as a value: those in flight and how the others ended. Each change makes a new one, so
 * that a compare-and-set can take it or leave it whole.
 */
record Probes(List<HalfOpen.Lease> inFlight, int good, int bad) {

    static final Probes NONE = new Probes(List.of(), 0, 0);

    /** Places taken: probes in flight and probes that have a result. */
    int granted() {
        return inFlight.size() + good + bad;
    }

    Probes with(HalfOpen.Lease lease) {
        List<HalfOpen.Lease> leases = new ArrayList<>(inFlight);
        leases.add(lease);
        return new Probes(List.copyOf(leases), good, bad);
    }

    /** Without a lease that is not listed: the same. */
    Probes settled(HalfOpen.Lease lease, Verdict verdict) {
        List<HalfOpen.Lease> leases = new ArrayList<>(inFlight);
        if (!leases.remove(lease)) {
            return this;
        }
        return new Probes(
                List.copyOf(leases), good + (verdict == Verdict.GOOD ? 1 : 0), bad + (verdict.isBad() ? 1 : 0));
    }

    /** Without an overdue lease: the same. */
    Probes expired(long nowNanos) {
        List<HalfOpen.Lease> leases = new ArrayList<>(inFlight);
        leases.removeIf(lease -> nowNanos - lease.untilNanos > 0);
        int lost = inFlight.size() - leases.size();
        return lost == 0 ? this : new Probes(List.copyOf(leases), good, bad + lost);
    }

    /** How long until the next lease is overdue; 0 when none is in flight. */
    long nextExpiry(long nowNanos) {
        return inFlight.stream()
                .mapToLong(lease -> Math.max(0, lease.untilNanos - nowNanos))
                .min()
                .orElse(0);
    }
}
