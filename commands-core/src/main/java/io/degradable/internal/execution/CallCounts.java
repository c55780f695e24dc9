package io.degradable.internal.execution;

import io.degradable.internal.window.Tally;
import io.degradable.model.CommandResult;
import io.degradable.model.EventType;
import io.degradable.model.FinishedCall;
import io.degradable.model.FinishedCall.Ending;
import io.degradable.model.Source;
import io.degradable.model.Trigger;
import io.degradable.time.Lane;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * The calls of one command. A finished call moves one cell; outcomes, sources and events are sums over cells, taken when
 * somebody reads, so they add up whoever reads them and whenever.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class CallCounts {

    /** What the rolling counts of events look back at. */
    static final Duration WINDOW = Duration.ofSeconds(10);

    private static final int BUCKETS = 10;

    // What is kept: sums over all calls, then the cells. The sums come first to be neighbours of the cells most in use.
    private static final int ELAPSED = 0;
    private static final int COPIES = 1;
    private static final int AGES = 2;
    private static final int FIRST_CELL = 3;

    private static final Trigger[] TRIGGERS = Trigger.values();
    private static final Ending[] ENDINGS = Ending.values();
    private static final FinishedCall[] CELLS = new FinishedCall[TRIGGERS.length * ENDINGS.length * 2];
    private static final EventType[][] EVENTS = new EventType[CELLS.length][];

    static {
        for (Trigger trigger : TRIGGERS) {
            for (Ending ending : ENDINGS) {
                for (boolean started : new boolean[] {false, true}) {
                    int cell = cell(trigger, ending, started);
                    CELLS[cell] = new FinishedCall(trigger, ending, started);
                    EVENTS[cell] = CELLS[cell].events().toArray(EventType[]::new);
                }
            }
        }
    }

    /** A run that ended in ourselves, at the end of the stack or of the memory: it must not stay in flight for ever. */
    static final FinishedCall LOST = call(Trigger.FAILURE, Ending.THROWN, true);

    private final LongAdder received = new LongAdder();
    private final Tally finished;

    /** How many of the calls that have ended listeners hear of; kept only where there are any. */
    private final LongAdder told = new LongAdder();

    /**
     * Runs of {@link #LOST} that even that could not be said of. A bare field, since there was no stack left: neither for a
     * call nor for a monitor, which asks for some as well. Two threads that come to that at once may count as one.
     */
    int lost;

    CallCounts(long nowNanos) {
        this.finished = new Tally(FIRST_CELL + CELLS.length, WINDOW, BUCKETS, nowNanos);
    }

    private static int cell(Trigger trigger, Ending ending, boolean bodyStarted) {
        return (trigger.ordinal() * ENDINGS.length + ending.ordinal()) * 2 + (bodyStarted ? 1 : 0);
    }

    /** Makes or finds the value of a cell; there is one instance of each. */
    static FinishedCall call(Trigger trigger, Ending ending, boolean bodyStarted) {
        return CELLS[cell(trigger, ending, bodyStarted)];
    }

    void received() {
        received.increment();
    }

    /** Takes {@link #received} back: the call went elsewhere. */
    void turnedAway() {
        received.decrement();
    }

    /**
     * Books a finished call: the one place where calls are counted.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    void finished(@Nullable Lane lane, FinishedCall call, long startNanos, long endNanos) {
        if (endNanos != startNanos) {
            finished.add(lane, ELAPSED, endNanos - startNanos, endNanos);
        }
        finished.count(lane, FIRST_CELL + cell(call.trigger(), call.ending(), call.bodyStarted()), endNanos);
    }

    /** What listeners are to hear of a call that has ended is on its way to them. */
    void told() {
        told.increment();
    }

    /** Whether a call that has ended is not on its way to the listeners yet. Nobody is told of what is only {@link #lost}. */
    boolean areUntold() {
        return sum(call -> true) - lost - told.sum() > 0;
    }

    /** Whether an answer is a copy, whose age is booked: one of a cache, or a record of a snapshot. */
    static boolean isCopy(@Nullable Source source, long ageNanos) {
        return source == Source.CACHE || (source == Source.STATIC && ageNanos != CommandResult.AGELESS);
    }

    /** Books the age of a copy that was served. */
    void servedCopy(@Nullable Lane lane, long ageNanos, long nowNanos) {
        finished.count(lane, COPIES, nowNanos);
        finished.add(lane, AGES, ageNanos, nowNanos);
    }

    long sum(Predicate<FinishedCall> which) {
        long sum = 0;
        for (int cell = 0; cell < CELLS.length; cell++) {
            if (which.test(CELLS[cell])) {
                sum += ended(cell);
            }
        }
        return sum;
    }

    long events(EventType event) {
        long sum = 0;
        for (int cell = 0; cell < CELLS.length; cell++) {
            for (EventType moved : EVENTS[cell]) {
                sum += moved == event ? ended(cell) : 0;
            }
        }
        return sum;
    }

    private long ended(int cell) {
        return finished.total(FIRST_CELL + cell) + (CELLS[cell] == LOST ? lost : 0);
    }

    Map<EventType, Long> recentEvents(long nowNanos) {
        long[] recent = finished.sums(nowNanos);
        Map<EventType, Long> events = new EnumMap<>(EventType.class);
        for (EventType event : EventType.values()) {
            events.put(event, 0L);
        }
        for (int cell = 0; cell < CELLS.length; cell++) {
            if (recent[FIRST_CELL + cell] != 0) {
                for (EventType event : EVENTS[cell]) {
                    events.merge(event, recent[FIRST_CELL + cell], Long::sum);
                }
            }
        }
        return events;
    }

    long receivedCalls() {
        return received.sum();
    }

    /** Calls that have not ended. Finished is read first, so the difference is never negative. */
    long inFlight() {
        long done = sum(call -> true);
        return Math.max(0, received.sum() - done);
    }

    long elapsedNanos() {
        return finished.total(ELAPSED);
    }

    long servedCopies() {
        return finished.total(COPIES);
    }

    long servedAgeNanos() {
        return finished.total(AGES);
    }
}
