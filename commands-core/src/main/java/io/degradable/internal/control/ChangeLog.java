package io.degradable.internal.control;

import io.degradable.control.Change;
import io.degradable.control.ChangeListener;
import io.degradable.time.Ticker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * The change record of a container: the last 1,000 changes, and who hears of them. These are the queue of each listener, too:
 * one that is further behind misses the oldest. No listener waits for another one.
 *
 * <p>Threading: every method may be called from any thread, and none blocks. No lock is held while a listener runs.
 */
public final class ChangeLog {

    static final int KEPT = 1_000;

    private final Ticker ticker;
    private final Predicate<Runnable> aside;
    private final List<Teller> tellers;
    private final LongAdder missed = new LongAdder();
    private final LongAdder mistakes = new LongAdder();
    private volatile boolean closed;

    private final Change[] ring = new Change[KEPT]; // guarded by this
    private volatile long last; // the latest id; written under this

    /**
     * The change record of a container.
     *
     * @param aside does something on another thread; false when it will not
     */
    public ChangeLog(Ticker ticker, Predicate<Runnable> aside, List<ChangeListener> listeners) {
        this.ticker = ticker;
        this.aside = aside;
        this.tellers = listeners.stream().map(Teller::new).toList();
    }

    /** Adds a change that holds without a limit, and tells of it. */
    public Change add(Change.Kind kind, String subject, String from, String to, String author, String reason) {
        return add(kind, subject, from, to, author, reason, Optional.empty());
    }

    /** Adds a change, and tells of it. */
    public Change add(
            Change.Kind kind,
            String subject,
            String from,
            String to,
            String author,
            String reason,
            Optional<Instant> expiresAt) {
        Change change = record(kind, subject, from, to, author, reason, expiresAt);
        tell();
        return change;
    }

    /** Adds a change. Whoever does so under a lock {@linkplain #tell() tells} of it afterwards. */
    synchronized Change record(
            Change.Kind kind,
            String subject,
            String from,
            String to,
            String author,
            String reason,
            Optional<Instant> expiresAt) {
        Change change = new Change(
                last + 1,
                Instant.ofEpochMilli(ticker.epochMillis()),
                kind,
                subject,
                from,
                to,
                author,
                reason,
                expiresAt);
        ring[(int) (change.id() % KEPT)] = change;
        last = change.id(); // after it is there: who sees the id finds the change
        return change;
    }

    /** Has the listeners told of what they have not heard of yet. */
    void tell() {
        tellers.forEach(Teller::wake);
    }

    /** The last 1,000 changes, the latest last. */
    public synchronized List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        for (long id = Math.max(1, last - KEPT + 1); id <= last; id++) {
            changes.add(ring[(int) (id % KEPT)]);
        }
        return List.copyOf(changes);
    }

    private synchronized @Nullable Change firstFrom(long id) {
        long first = Math.max(id, last - KEPT + 1);
        return first > last ? null : ring[(int) (first % KEPT)];
    }

    /** How often a listener has missed a change. */
    public long missed() {
        return missed.sum();
    }

    /** How often a listener threw. */
    public long mistakes() {
        return mistakes.sum();
    }

    /** Whether a listener is told of something, or is about to be. */
    public boolean isUnderWay() {
        return !closed && tellers.stream().anyMatch(Teller::isUnderWay);
    }

    /** Tells of nothing more. */
    public void close() {
        closed = true;
    }

    /** Tells one listener, on one thread at a time. */
    private final class Teller {

        private final ChangeListener listener;
        private final AtomicBoolean telling = new AtomicBoolean();

        /** The change to tell of next; handed on by the flag. */
        private volatile long next = 1;

        Teller(ChangeListener listener) {
            this.listener = listener;
        }

        /** Asked in this order: at no moment in between does it seem to be through when it is not. */
        boolean isUnderWay() {
            return next <= last || telling.get();
        }

        void wake() {
            if (!closed && next <= last && telling.compareAndSet(false, true) && !aside.test(this::tellAll)) {
                telling.set(false); // there is no thread; the next change tries again
            }
        }

        private void tellAll() {
            do {
                try {
                    for (Change change = firstFrom(next); change != null && !closed; change = firstFrom(next)) {
                        missed.add(change.id() - next);
                        next = change.id() + 1;
                        tell(change);
                    }
                } finally {
                    telling.set(false);
                }
                // What came in between found somebody telling.
            } while (!closed && next <= last && telling.compareAndSet(false, true));
        }

        private void tell(Change change) {
            try {
                listener.on(change);
            } catch (Throwable mistake) {
                mistakes.increment();
            }
            boolean unused = Thread.interrupted(); // whoever it was meant for has ended
        }
    }
}
