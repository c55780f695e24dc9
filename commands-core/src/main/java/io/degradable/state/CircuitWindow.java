package io.degradable.state;

/**
 * What a closed breaker looks at when it decides whether to open. Zeros in any other state.
 *
 * @param good calls that ended well
 * @param failed calls that failed or timed out
 * @param slow calls that answered, but took longer than {@code slowCall}
 * @param slowInFlight calls that have been in flight for longer than {@code slowCall}; they count as slow
 * @param failuresInRow failed calls since the last good or slow one
 */
public record CircuitWindow(long good, long failed, long slow, long slowInFlight, long failuresInRow) {

    /** Nothing measured. */
    public static final CircuitWindow EMPTY = new CircuitWindow(0, 0, 0, 0, 0);

    /** All calls that count: ended ones and slow ones in flight. */
    public long calls() {
        return good + bad();
    }

    /** Failed ones, slow ones, and slow ones in flight. */
    public long bad() {
        return failed + allSlow();
    }

    /** Slow ones, ended and in flight. */
    public long allSlow() {
        return slow + slowInFlight;
    }
}
