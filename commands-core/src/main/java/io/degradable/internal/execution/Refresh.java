package io.degradable.internal.execution;

import io.degradable.internal.execution.Flights.Flight;
import io.degradable.internal.guard.Call;
import io.degradable.internal.guard.Driver;
import io.degradable.internal.guard.HereCall;
import io.degradable.internal.stage.Stage;
import io.degradable.internal.stage.Step;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/**
 * What one run of a command with a {@link ShortCut} does before its primary.
 *
 * <pre>
 *   MEMORY --a young copy--> answered
 *   MEMORY --none, nobody fetches the key--> STORE --a young copy--> answered
 *                                            STORE --none--> FETCHES: its primary, for all who wait
 *   MEMORY --none, somebody fetches it--> MEMORY, where an older copy will do --none--> WAITS
 *   WAITS --the other's primary answered--> FETCHED, where that is however long it took --none--> FETCHES
 *   WAITS --the other had it from the store, or has gone--> MEMORY --none--> FETCHES
 *   WAITS --the other found none--> ENDED: as that one
 *   WAITS --no time left--> ENDED: timed out
 * </pre>
 *
 * <p>Threading: used by the driver of the run, which is one thread at a time.
 */
final class Refresh<C, R> {

    /**
     * Who waits for one that has no time limit asks for itself after so long, and is let in or refused by the bulkhead.
     */
    private static final long LONGEST_WAIT_NANOS = 60_000_000_000L;

    private enum State {
        MEMORY,
        STORE,
        WAITS,
        FETCHED,
        /** What comes next is the primary, asked or not. */
        OVER
    }

    private final ShortCut<C, R> shortCut;
    private final @Nullable Flights.Key key;
    private final Runnable mistake;
    private State state = State.MEMORY;

    /** The flight of this run, until it has ended. */
    private @Nullable Flight own;

    private @Nullable Flight others;
    private long waitsUntilNanos;
    private boolean waited;

    /** In place of asking the primary. */
    private @Nullable Call<R> instead;

    /** A run that begins. */
    Refresh(ShortCut<C, R> shortCut, C arguments, Runnable mistake) {
        this.shortCut = shortCut;
        this.mistake = mistake;
        this.key = key(shortCut, arguments, mistake);
        if (key == null) {
            state = State.OVER;
        }
    }

    private static <C> @Nullable Flights.Key key(ShortCut<C, ?> shortCut, C arguments, Runnable mistake) {
        try {
            Object value = shortCut.key().apply(arguments);
            return value == null ? null : new Flights.Key(value);
        } catch (Throwable thrown) {
            mistake.run();
            return null; // the primary is asked as if there were no cache
        }
    }

    /** Whether a copy is to be looked up now. */
    boolean looks() {
        return state == State.MEMORY || state == State.STORE || state == State.FETCHED;
    }

    boolean waits() {
        return state == State.WAITS;
    }

    /** What it waits for. */
    @Nullable
    Flight awaited() {
        return others;
    }

    /** When it waits no longer, if it has that much time. */
    long waitsUntilNanos() {
        return waitsUntilNanos;
    }

    /** Looks up a copy. */
    Call<?> begin(C arguments, long nowNanos, long deadlineNanos, Driver toTell) {
        return stage().beginFirst(arguments, nowNanos, deadlineNanos, toTell);
    }

    /** Ends the look; what comes next is settled, unless it is answered. */
    Step<C, ?, R> end(Call<?> call) {
        Step<C, ?, R> step = endFirst(stage(), call);
        stage().left(null, step.reason());
        if (step.reason() != StageReason.ANSWER) {
            missed(step.endNanos());
        }
        return step;
    }

    @SuppressWarnings("unchecked") // a call comes back to the stage that began it
    private static <C, V, R> Step<C, V, R> endFirst(Stage<C, V, R> stage, Call<?> call) {
        return stage.endFirst((Call<V>) call);
    }

    private Stage<C, ?, R> stage() {
        Stage<C, ?, R> store = shortCut.store();
        if (state == State.FETCHED) {
            return shortCut.fetched();
        }
        return state == State.STORE && store != null ? store : shortCut.memory();
    }

    private void missed(long nowNanos) {
        if (state == State.STORE || waited) {
            fetch(nowNanos);
        } else {
            joinFlight(nowNanos);
        }
    }

    private void joinFlight(long nowNanos) {
        if (key == null) {
            return;
        }
        Flight mine = new Flight();
        Flight flight;
        try {
            flight = shortCut.flights().join(key, mine);
        } catch (Throwable thrown) { // by its equals, or for want of memory or stack
            own = mine; // it may be there even so
            mistake.run();
            state = State.OVER;
            return;
        }
        if (flight == mine) {
            own = mine;
            state = State.STORE;
            if (shortCut.store() == null) {
                fetch(nowNanos);
            }
        } else if (others != null) {
            others = flight;
            state = State.WAITS;
            waitsUntilNanos = nowNanos + LONGEST_WAIT_NANOS;
        } else {
            others = flight; // it may have begun after the look, which did not take an older copy then
        }
    }

    private void fetch(long nowNanos) {
        state = State.OVER;
        if (shortCut.refill() != null && !shortCut.refill().tryTake(nowNanos)) {
            instead = HereCall.skipped(nowNanos, StageReason.REFILL);
        }
    }

    private void goOnAfter(@Nullable Step<?, ?, ?> outcome, long nowNanos) {
        waited = true;
        if (outcome != null && outcome.reason() == StageReason.ANSWER) {
            state = State.FETCHED;
        } else if (outcome != null && isSaidOfTheKey(outcome)) {
            state = State.OVER;
            instead = HereCall.like(nowNanos, outcome.reason(), outcome.bodyStarted(), outcome.failure());
        } else {
            state = State.MEMORY;
        }
    }

    /** Whether it holds for whoever asks for the key: not that a caller went, had less time, or was at the end of his stack. */
    private static boolean isSaidOfTheKey(Step<?, ?, ?> outcome) {
        return switch (outcome.reason()) {
            case CANCELLED, BUDGET, NO_TIME_LEFT -> false;
            default -> !(outcome.failure() instanceof VirtualMachineError);
        };
    }

    /** Ends the wait. */
    void resume(long nowNanos, boolean timeIsUp) {
        if (others != null && others.hasEnded()) {
            goOnAfter(others.outcome(), nowNanos);
        } else if (timeIsUp) {
            state = State.OVER;
            instead = HereCall.skipped(nowNanos, StageReason.TIMEOUT);
        } else {
            fetch(nowNanos);
        }
    }

    /** The caller has gone. */
    void leave() {
        state = State.OVER;
    }

    /** What stands in the primary's place; null when it is to be asked. */
    @Nullable
    Call<R> instead() {
        return instead;
    }

    /** What this run has fetched, or not, for those who wait; null when it came to nothing. */
    void land(@Nullable Step<?, ?, ?> with) {
        Flight flight = own;
        if (flight != null && key != null) {
            own = null;
            shortCut.flights().end(key, flight, with);
        }
    }
}
