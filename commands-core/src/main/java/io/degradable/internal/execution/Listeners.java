package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandListener;
import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.internal.guard.CallContext;
import io.degradable.internal.guard.StackRoom;
import io.degradable.model.CommandKey;
import io.degradable.time.Deadline;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * Tells the listeners of a container: inline ones where it happens, the others on one thread, in order, from a queue with a
 * bound. The events of a run are one entry of it, so nothing comes between them. What does not fit is dropped and counted.
 *
 * <p>Listeners are guests. Whatever they do, what is told of goes on; and they are no part of the call that they hear of, so
 * its deadline is not theirs, although what it carries along is there.
 *
 * <p>Threading: every method may be called from any thread; none waits, but for what inline listeners do. There are no locks:
 * a teller at the end of its stack could leave one taken.
 */
public final class Listeners {

    /** Who is to be told, and how many entries may wait. */
    public record Registered(List<CommandListener> queued, List<CommandListener> inline, int capacity) {
        public Registered {
            queued = List.copyOf(queued);
            inline = List.copyOf(inline);
        }

        boolean areThere() {
            return !queued.isEmpty() || !inline.isEmpty();
        }
    }

    /** What is told together, with what the call carried along; a breaker belongs to no call. */
    private record Entry(@Nullable CallContext context, List<CommandEvent> events) {}

    private final String threadName;
    private final List<CommandListener> queued;
    private final List<CommandListener> inline;
    private final int capacity;
    private final Runnable whenOver;
    private final LongAdder dropped = new LongAdder();
    private final LongAdder mistakes = new LongAdder();

    private final Queue<Entry> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger places = new AtomicInteger();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Thread teller;

    /** Tell what is waiting, then end. */
    private volatile boolean closed;

    /** Tell nothing more. */
    private volatile boolean givenUp;

    /** Nobody takes from the queue any more: who adds to it takes it out himself. */
    private volatile boolean over;

    /**
     * The listeners of a container.
     *
     * @param whenOver told when the thread has told everything and ends
     */
    Listeners(String container, Registered registered, Runnable whenOver) {
        this.threadName = "degradable-" + container + "-listener";
        this.queued = registered.queued();
        this.inline = registered.inline();
        this.capacity = registered.capacity();
        this.whenOver = whenOver;
    }

    /** Whether some of them are told on another thread than the run's, and need what it takes along. */
    boolean needContext() {
        return !queued.isEmpty();
    }

    /** Tells of a run that is over. Throws nothing. */
    void runEnded(Run<?, ?> run, Runnable onceQueued) {
        List<CommandEvent> events;
        try {
            events = run.events();
            if (!queued.isEmpty()) {
                enqueue(new Entry(run.context(), events));
            }
        } catch (Throwable noStackLeft) {
            drop(1);
            events = List.of();
        }
        onceQueued.run();
        tellInline(events);
    }

    /** Tells of the moves of one breaker. */
    CircuitBreaker.Watcher circuit(CommandKey command, String stage) {
        return (from, to, why, byHand) ->
                tellNow(new CommandEvent.CircuitChanged(command, stage, from, to, why, byHand));
    }

    /** Tells of something that belongs to no call. Throws nothing. */
    void tellNow(CommandEvent event) {
        try {
            List<CommandEvent> events = List.of(event);
            if (!queued.isEmpty()) {
                enqueue(new Entry(null, events));
            }
            tellInline(events);
        } catch (Throwable noStackLeft) {
            drop(1);
        }
    }

    private void tellInline(List<CommandEvent> events) {
        if (inline.isEmpty() || events.isEmpty()) {
            return;
        }
        try {
            Deadline before = Deadline.NONE.enter();
            try {
                events.forEach(event -> tell(inline, event));
            } finally {
                Deadline.restore(before);
            }
        } catch (Throwable noStackLeft) {
            drop(1);
        }
    }

    private void tell(List<CommandListener> listeners, CommandEvent event) {
        for (CommandListener listener : listeners) {
            try {
                listener.on(event);
            } catch (Throwable mistake) {
                mistakes.increment();
            }
        }
    }

    private void enqueue(Entry entry) {
        StackRoom.forHandOver();
        if (places.incrementAndGet() > capacity) {
            places.decrementAndGet();
            drop(entry.events().size());
            return;
        }
        waiting.add(entry);
        if (over || givenUp) {
            dropWaiting();
        } else if (begun.compareAndSet(false, true)) {
            begin();
        } else {
            LockSupport.unpark(teller);
        }
    }

    private void begin() {
        try {
            Thread thread = new Thread(null, this::tellAll, threadName, 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
            thread.start();
        } catch (Throwable noThread) {
            begun.set(false); // the next one tries again
        }
    }

    // ---- the thread ----

    private void tellAll() {
        Thread self = Thread.currentThread();
        teller = self;
        while (!givenUp) {
            Entry next = next();
            if (next != null) {
                tell(next);
                boolean unused = Thread.interrupted(); // whoever it was meant for has ended
            } else if (closed) {
                break;
            } else {
                LockSupport.park(this);
            }
        }
        over = true;
        dropWaiting(); // added since by who did not see that it is over
        whenOver.run();
    }

    private @Nullable Entry next() {
        Entry next = waiting.poll();
        if (next != null) {
            places.decrementAndGet();
        }
        return next;
    }

    private void tell(Entry entry) {
        try {
            CallContext context = entry.context();
            if (context == null) {
                tellEach(entry);
            } else {
                context.runApart(() -> tellEach(entry));
            }
        } catch (Throwable noMemory) {
            drop(entry.events().size());
        }
    }

    private void tellEach(Entry entry) {
        for (CommandEvent event : entry.events()) {
            if (givenUp) {
                drop(1);
            } else {
                tell(queued, event);
            }
        }
    }

    private void dropWaiting() {
        Entry next = next();
        while (next != null) {
            drop(next.events().size());
            next = next();
        }
    }

    private void drop(int events) {
        try {
            dropped.add(events);
        } catch (Throwable noStackLeft) {
            // Not even to count it.
        }
    }

    // ---- closing ----

    /** Takes what is told as the last, and ends. */
    void close() {
        closed = true;
        if (begun.compareAndSet(false, true)) {
            over = true; // there was nothing to tell
            dropWaiting();
        } else {
            LockSupport.unpark(teller);
        }
    }

    /** Whether something is still told, or waits to be, on another thread than the calling one. */
    boolean areTold() {
        return !over && !isTeller();
    }

    /** Whether the calling thread is the one that tells. */
    boolean isTeller() {
        return Thread.currentThread() == teller;
    }

    /** Waits no longer: interrupts the listener that is told now, and drops the rest. */
    void giveUp(Executor interrupts) {
        givenUp = true;
        dropWaiting();
        Thread thread = teller;
        if (thread != null) {
            interrupts.execute(thread::interrupt);
        }
    }

    // ---- figures ----

    long dropped() {
        return dropped.sum();
    }

    long mistakes() {
        return mistakes.sum();
    }
}
