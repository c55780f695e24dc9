package io.degradable.bench;

import java.util.function.Supplier;

/** Who is compared. */
public enum Peers {
    /** The least that any design must do. */
    LIMIT(Limit::new),
    OURS(Ours::new),
    /** A window of calls, refusals without a stack trace. */
    R4J_COUNT(Resilience4j::countWindow),
    /** A window of time, refusals with their stack trace, as by default. */
    R4J_TIME(Resilience4j::timeWindow),
    /** A window of calls, with the meters of Micrometer. */
    R4J_METERED(Resilience4j::metered),
    FAILSAFE(FailsafePeer::new),
    SENTINEL(SentinelPeer::new),
    HYSTRIX(HystrixPeer::new);

    private final Supplier<Peer> maker;

    Peers(Supplier<Peer> maker) {
        this.maker = maker;
    }

    Peer make() {
        return maker.get();
    }
}
