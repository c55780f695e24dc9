package io.degradable.state;

/**
 * The step of a ramp that a breaker is on before it closes. Zeros in any other state.
 *
 * @param step which step, from 1
 * @param steps how many there are
 * @param sharePercentage which share of the calls is let through
 * @param good calls of this step that ended well
 * @param bad calls of this step that failed or were slow
 * @param overdue calls of this step in flight for longer than a call may take; they count as bad
 * @param decisions how many calls must have ended before the step is left upwards
 */
public record CircuitRamp(int step, int steps, int sharePercentage, long good, long bad, long overdue, int decisions) {

    /** No ramp. */
    public static final CircuitRamp NONE = new CircuitRamp(0, 0, 0, 0, 0, 0, 0);
}
