package io.degradable.state;

import java.time.Duration;

/**
 * The probes of a half-open breaker. Zeros in any other state.
 *
 * @param inFlight probes that have not reported
 * @param good probes that ended well
 * @param bad probes that failed, were slow, or did not report in time
 * @param needed how many must be good
 * @param of how many there are at most
 * @param leaseEndsIn when the next of those in flight counts as lost; zero when none is in flight
 */
public record CircuitProbes(int inFlight, int good, int bad, int needed, int of, Duration leaseEndsIn) {

    /** No probes. */
    public static final CircuitProbes NONE = new CircuitProbes(0, 0, 0, 0, 0, Duration.ZERO);
}
