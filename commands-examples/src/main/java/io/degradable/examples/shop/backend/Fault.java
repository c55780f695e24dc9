package io.degradable.examples.shop.backend;

/**
 * What is wrong with a backend. It holds what is in force and nothing else: a latency outside {@link Mode#SLOW} and {@link
 * Mode#ERRORS}, or an error rate outside {@link Mode#ERRORS}, is 0 whatever was asked for.
 *
 * @param mode how it behaves
 * @param latencyMs how long an answer waits, from 0 to 60000, not 0 when slow
 * @param errorRate the share of requests that get HTTP 500, from 0 to 1
 */
public record Fault(Mode mode, int latencyMs, double errorRate) {
    static final int MAX_LATENCY_MS = 60_000;

    public Fault {
        if (latencyMs < 0 || latencyMs > MAX_LATENCY_MS) {
            throw new IllegalArgumentException(
                    "latencyMs must be a whole number from 0 to " + MAX_LATENCY_MS + ", was " + latencyMs);
        }
        if (mode == Mode.SLOW && latencyMs == 0) {
            throw new IllegalArgumentException(
                    "latencyMs must be from 1 to " + MAX_LATENCY_MS + " when mode is slow, was 0");
        }
        if (!(errorRate >= 0 && errorRate <= 1)) { // said so that NaN is refused too
            throw new IllegalArgumentException("errorRate must be a number from 0 to 1, was " + errorRate);
        }
        latencyMs = mode == Mode.SLOW || mode == Mode.ERRORS ? latencyMs : 0;
        errorRate = mode == Mode.ERRORS ? errorRate : 0;
    }

    /** Nothing is wrong. */
    public static Fault up() {
        return new Fault(Mode.UP, 0, 0);
    }

    /** Every connection is cut. */
    public static Fault down() {
        return new Fault(Mode.DOWN, 0, 0);
    }

    /** Every answer comes {@code latencyMs} late. */
    public static Fault slow(int latencyMs) {
        return new Fault(Mode.SLOW, latencyMs, 0);
    }

    /** No answer comes. */
    public static Fault hang() {
        return new Fault(Mode.HANG, 0, 0);
    }

    /** The share {@code errorRate} of the requests gets HTTP 500. */
    public static Fault errors(double errorRate) {
        return new Fault(Mode.ERRORS, 0, errorRate);
    }

    /** Whether a request that meets this fault has to wait. */
    boolean holds() {
        return mode == Mode.HANG || latencyMs > 0;
    }
}
