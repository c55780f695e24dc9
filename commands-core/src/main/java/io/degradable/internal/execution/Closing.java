package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.WorkerBulkhead;
import io.degradable.internal.execution.Flights.Flight;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.annotation.Nullable;

/**
 * How a container ends, once: runs in flight get a grace, then they are cancelled, and everything that has threads is told
 * to end them, last what others may still need.
 *
 * <p>Threading: every method may be called from any thread; {@link #end} belongs to the one whose {@link #begin} was true.
 */
final class Closing {

    /** What futures may take to complete after the grace, at least: microseconds, unless code of the user is in the way. */
    private static final long FUTURES_NANOS = 1_000_000_000;

    private final Ticker ticker;
    private final long graceNanos;
    private final CountDownLatch done = new CountDownLatch(1);

    /** Threads that pause before they try again. */
    private final Set<Thread> pausing = ConcurrentHashMap.newKeySet();

    private volatile boolean begun;

    /** Who closes now, and waits for the runs in flight. */
    private volatile @Nullable Thread closer;

    Closing(Ticker ticker, Duration grace) {
        this.ticker = ticker;
        this.graceNanos = Spans.nanos(grace);
    }

    boolean hasBegun() {
        return begun;
    }

    /** Begins, if nobody has: called under the lock in which commands become known, so that none does from then on. */
    boolean begin() {
        if (begun) {
            return false;
        }
        closer = Thread.currentThread();
        begun = true;
        return true;
    }

    /** Waits for the one who closes, until an interrupt; who closes does not wait for himself. */
    void awaitOther() {
        if (closer == Thread.currentThread()) {
            return;
        }
        try {
            done.await();
        } catch (InterruptedException leave) {
            Thread.currentThread().interrupt();
        }
    }

    /** Something has ended that the one who closes may be waiting for. */
    void wake() {
        Thread waiting = closer;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    /** Waits on the calling thread until a moment, an interrupt, the end of the flight, if there is one, or the close. */
    void pause(long untilNanos, @Nullable Flight flight) {
        Thread self = Thread.currentThread();
        pausing.add(self);
        Runnable wakes = () -> LockSupport.unpark(self);
        if (flight != null) {
            flight.whenEnded(wakes);
        }
        try {
            // Whether it has begun is asked after the thread was added: who closes sees it, or is seen.
            while (!begun
                    && untilNanos - ticker.nanos() > 0
                    && !self.isInterrupted()
                    && !(flight != null && flight.hasEnded())) {
                ticker.await(this, untilNanos);
            }
        } finally {
            pausing.remove(self);
            if (flight != null) {
                flight.forget(wakes);
            }
        }
    }

    /**
     * Ends all of it.
     *
     * @param runsInFlight whether a run is in flight, or not told of yet
     * @param writesUnderWay whether something waits for being written to its store
     * @param endGuests lets go of what belongs to others, which may hang
     */
    void end(
            BooleanSupplier runsInFlight,
            List<WorkerBulkhead> workers,
            BooleanSupplier writesUnderWay,
            Runnable endGuests,
            Timer timer,
            Continuations continuations,
            @Nullable Listeners listeners) {
        pausing.forEach(LockSupport::unpark);
        continuations.takeOver();
        long untilNanos = ticker.nanos() + graceNanos;
        awaitWhile(runsInFlight, untilNanos);
        workers.forEach(WorkerBulkhead::shutdown);
        for (WorkerBulkhead bulkhead : workers) {
            if (!bulkhead.awaitEnd(ticker, untilNanos)) {
                bulkhead.cancelAll(continuations::interrupt);
            }
        }
        awaitWhile(writesUnderWay, untilNanos);
        timer.close();
        long atLast = ticker.nanos() + Math.max(graceNanos, FUTURES_NANOS);
        if (continuations.areReplaced()) {
            // In this order: a run is counted as ended by its last driver, and its future completed before that one
            // ends.
            awaitWhile(() -> runsInFlight.getAsBoolean() || continuations.areUnderWay(), atLast);
        }
        if (listeners != null) {
            awaitWhile(runsInFlight, atLast); // what was cancelled just now is told, too
            endListeners(listeners, continuations);
        }
        endAside(endGuests, continuations);
        continuations.close();
    }

    /** On another thread, which is interrupted when it takes too long. */
    private void endAside(Runnable endGuests, Continuations continuations) {
        AtomicBoolean ended = new AtomicBoolean();
        Runnable ends = () -> {
            try {
                endGuests.run();
            } finally {
                ended.set(true);
                wake();
            }
        };
        if (continuations.aside(ends)) {
            awaitWhile(() -> !ended.get(), ticker.nanos() + Math.max(graceNanos, FUTURES_NANOS));
        } else {
            ends.run();
        }
    }

    private void endListeners(Listeners listeners, Continuations continuations) {
        listeners.close();
        awaitWhile(listeners::areTold, ticker.nanos() + graceNanos);
        if (listeners.areTold()) {
            listeners.giveUp(continuations::interrupt);
        }
    }

    private void awaitWhile(BooleanSupplier somethingIsLeft, long untilNanos) {
        while (somethingIsLeft.getAsBoolean()
                && untilNanos - ticker.nanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
    }

    /** It has ended, whatever came of it. */
    void isDone() {
        done.countDown();
        closer = null;
    }
}
