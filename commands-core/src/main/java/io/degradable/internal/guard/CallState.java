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
 *   QUEUED         BODY_ENDED            -               cannot be
 *   RUNNING        BODY_ENDED            DONE            worker: frees the slot, wakes the caller, who settles the permit
 *   RUNNING        TIMED_OUT             LEAVING         caller, timer: permit is bad
 *   RUNNING        OUT_OF_BUDGET         LEAVING         caller, timer: leaves the permit to the end of the body
 *   RUNNING        CANCELLED             LEAVING         caller, canceller, closer: permit unused
 *   RUNNING        QUEUE_TIMED_OUT       -               caller, timer: it has got its thread
 *   LEAVING        INTERRUPT_SETTLED     LEFT            who left: the interrupt, if one was wanted, is delivered
 *   LEAVING        BODY_ENDED            -               worker: frees the slot, waits for LEFT
 *   LEFT           BODY_ENDED            -               worker: frees the slot, books a late end, clears its interrupt
 *   ABANDONED      TAKEN                 -               worker: drops it
 *   DONE           any                   -               too late: the body's end stands
 *   LEFT           any other             -               too late: somebody else left first
 *   ABANDONED      any other             -               the same
 * </pre>
 *
 * <p>LEAVING is there so that an interrupt cannot land in the worker's next task.
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
    /** Nobody waits any more; the body may be interrupted any moment. */
    LEAVING,
    /** Nobody waits any more; no interrupt will come. */
    LEFT;

    /** What can happen to a call. */
    enum Event {
        TAKEN,
        BODY_ENDED,
        QUEUE_TIMED_OUT,
        TIMED_OUT,
        OUT_OF_BUDGET,
        CANCELLED,
        INTERRUPT_SETTLED;

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
                    case TIMED_OUT, OUT_OF_BUDGET, CANCELLED -> LEAVING;
                    default -> this;
                };
            case LEAVING -> event == Event.INTERRUPT_SETTLED ? LEFT : this;
            case DONE, ABANDONED, LEFT -> this;
        };
    }
}
