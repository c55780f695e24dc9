package io.degradable.internal.breaker;

/**
 * Why a breaker is in its phase: the rule that moved it there and the figures it went by. Set at the move and never changed,
 * so it can be read when the figures themselves are long gone.
 *
 * @param count what was counted
 * @param of out of how many
 * @param limit what the rule compares with: percent, calls or nanoseconds
 * @param note what else belongs into the words: the window, or who
 */
record Why(Rule rule, long count, long of, long limit, String note) {

    /** What can move a breaker. */
    enum Rule {
        NEW,
        SWITCHED_OFF,
        SWITCHED_ON,
        BAD_RATE,
        FAILURE_RATE,
        SLOW_RATE,
        FAILURES_IN_ROW,
        OPEN_TIME_OVER,
        PROBES_BAD,
        PROBES_GOOD,
        RAMP_WORSE,
        RAMP_GOOD,
        FORCED,
        RELEASED
    }

    static final Why NEW = of(Rule.NEW);
    static final Why SWITCHED_OFF = of(Rule.SWITCHED_OFF);
    static final Why SWITCHED_ON = of(Rule.SWITCHED_ON);
    static final Why OPEN_TIME_OVER = of(Rule.OPEN_TIME_OVER);

    private static Why of(Rule rule) {
        return new Why(rule, 0, 0, 0, "");
    }

    static Why by(Rule rule, String who) {
        return new Why(rule, 0, 0, 0, who);
    }

    /** Whether somebody held or released the breaker. */
    boolean isByHand() {
        return rule == Rule.FORCED || rule == Rule.RELEASED;
    }

    /** In words. */
    String text() {
        return switch (rule) {
            case NEW -> "new";
            case SWITCHED_OFF -> "switched off in the settings";
            case SWITCHED_ON -> "switched on in the settings";
            case BAD_RATE -> share("calls failed or slow");
            case FAILURE_RATE -> share("calls failed");
            case SLOW_RATE -> share("calls slow");
            case FAILURES_IN_ROW -> count + " calls failed in a row >= " + limit;
            case OPEN_TIME_OVER -> "open time over, probes decide";
            case PROBES_BAD -> count + " of " + of + " probes failed, slow or lost: " + limit + " good ones are needed";
            case PROBES_GOOD -> count + " of " + of + " probes good >= " + limit;
            case RAMP_WORSE ->
                count + " of " + of + " calls failed or slow " + note + ", " + limit + " at the share below";
            case RAMP_GOOD -> count + " of " + of + " calls good " + note;
            case FORCED -> "forced by " + note;
            case RELEASED -> "released by " + note;
        };
    }

    private String share(String what) {
        return count + " of " + of + " " + what + " " + note + ": " + count * 100 / of + " % >= " + limit + " %";
    }
}
