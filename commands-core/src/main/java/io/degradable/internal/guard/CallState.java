package io.degradable.internal.guard;

/**
 * Where one guarded call on a pool stands, and who of its worker and its caller decides how it ends. {@link #after} is the
 * whole of it: the synchronous and the asynchronous driver, the timer, the canceller and the worker only execute it.
 *
 * <pre>
 *   state          event                 next            who moves it, and what he does then
 *   ------------   -------------------   -------------   --------------------------------------------------------------
 *   QUEUED         TAKEN                 RUNNING         worker: runs the body
 *   QUEUED         TIMED_OUT             ABANDONED       caller, timer: frees slot and queue; permit unused
 *   QUEUED         OUT_OF_BUDGET         ABANDONED       the same
 *   QUEUED         CANCELLED             ABANDONED       caller, canceller, closer: the same
 *   QUEUED         QUEUE_TIMED_OUT       ABANDONED       caller, timer: the same
 *   QUEUED         any other             -               cannot be
 *   RUNNING        BODY_ENDED            DONE            worker: frees the slot, wakes the caller, who settles the permit
 *   RUNNING        TIMED_OUT             LEFT            caller, timer: permit is bad
 *   RUNNING        OUT_OF_BUDGET         LEFT            caller, timer: leaves the permit to the end of the body
 *   RUNNING        CANCELLED             LEFT            caller, canceller, closer: permit unused
 *   RUNNING        any other             -               it has got its thread: too late to end its wait for one
 *   LEFT           BODY_ENDED            OVER            worker: frees the slot, books a late end
 *   LEFT           INTERRUPT_BEGINS      INTERRUPTING    a thread that may be held up: interrupts the worker
 *   INTERRUPTING   BODY_ENDED            -               worker: waits for OVER, then as above, and clears the interrupt
 *   INTERRUPTING   INTERRUPT_DELIVERED   OVER            who interrupts: nothing more
 *   LEFT           any other             -               too late: somebody else left first
 *   INTERRUPTING   any other             -               the same
 *   OVER           any                   -               too late: no interrupt will come any more
 *   ABANDONED      any                   -               too late: the worker drops it
 *   DONE           any                   -               too late: the body's end stands
 * </pre>
 *
 * <p>INTERRUPTING is there so that an interrupt cannot land in the worker's next task. Whoever leaves does not interrupt
 * himself: {@link Thread#interrupt} closes a channel that the body is blocked in, and can be held up by that.
 */
enum CallState {
    /** Waits for a worker. */
    QUEUED,
    /** The body runs and somebody waits for it. */
    RUNNING,
    /** The body ended in time. */
    DONE,
    /** Nobody waits any more, and the body will never start. */
    ABANDONED,
    /** Nobody waits any more; the body runs on. */
    LEFT,
    /** Nobody waits any more; the body is being interrupted. */
    INTERRUPTING,
    /** Nobody waits any more; if the body runs on, it does so undisturbed. */
    OVER;

    /** What can happen to a call. */
    enum Event {
        TAKEN,
        BODY_ENDED,
        QUEUE_TIMED_OUT,
        TIMED_OUT,
        OUT_OF_BUDGET,
        CANCELLED,
        INTERRUPT_BEGINS,
        INTERRUPT_DELIVERED;

        private static final Event[] ALL = values();

        static Event of(int ordinal) {
            return ALL[ordinal];
        }
    }

    /** The state after an event; the same state when the event comes too late or cannot be. */
    CallState after(Event event) {
        return switch (this) {
            case QUEUED ->
                switch (event) {
                    case TAKEN -> RUNNING;
                    case QUEUE_TIMED_OUT, TIMED_OUT, OUT_OF_BUDGET, CANCELLED -> ABANDONED;
                    default -> this;
                };
            case RUNNING ->
                switch (event) {
                    case BODY_ENDED -> DONE;
                    case TIMED_OUT, OUT_OF_BUDGET, CANCELLED -> LEFT;
                    default -> this;
                };
            case LEFT ->
                switch (event) {
                    case BODY_ENDED -> OVER;
                    case INTERRUPT_BEGINS -> INTERRUPTING;
                    default -> this;
                };
            case INTERRUPTING -> event == Event.INTERRUPT_DELIVERED ? OVER : this;
            case DONE, ABANDONED, OVER -> this;
        };
    }
}
