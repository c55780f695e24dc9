package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.event.CommandListener;
import io.degradable.internal.breaker.CircuitBreaker;
import io.degradable.internal.guard.CallContext;
import io.degradable.internal.guard.StackRoom;
import io.degradable.model.CommandKey;
import io.degradable.time.Deadline;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final String threadName;
    private final List<CommandListener> queued;
    private final List<CommandListener> inline;
    private final Runnable whenOver;
    private final LongAdder dropped = new LongAdder();
    private final LongAdder mistakes = new LongAdder();

    private final EventQueue waiting;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable Thread teller;

    /** The teller has found nothing and waits to be woken, or is about to. */
    private volatile boolean asleep;

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
        this.waiting = new EventQueue(registered.capacity());
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
                enqueue(new EventQueue.Entry(run.context(), events));
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
                enqueue(new EventQueue.Entry(null, events));
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

    private void enqueue(EventQueue.Entry entry) {
        if (!waiting.add(entry)) {
            drop(entry.events().size());
        } else if (over || givenUp) {
            StackRoom.forHandOver();
            dropWaiting();
        } else {
            wake();
        }
    }

    /** Asked after something was added: the teller sees that, or is seen to be asleep. */
    private void wake() {
        try {
            if (!begun.get()) {
                StackRoom.forHandOver();
                if (begun.compareAndSet(false, true)) {
                    begin();
                }
            } else if (asleep) {
                asleep = false; // it takes a while to come, and to be woken once is enough
                LockSupport.unpark(teller);
            }
        } catch (Throwable noStackLeft) {
            asleep = true; // the next one tries again, or who closes
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
            EventQueue.Entry next = waiting.take();
            if (next != null) {
                tell(next);
                boolean unused = Thread.interrupted(); // whoever it was meant for has ended
            } else if (closed) {
                break;
            } else {
                awaitMore();
            }
        }
        over = true;
        dropWaiting(); // added since by who did not see that it is over
        whenOver.run();
    }

    private void awaitMore() {
        asleep = true;
        if (waiting.isEmpty() && !closed && !givenUp) {
            LockSupport.park(this);
        }
        boolean unused = Thread.interrupted(); // by a stranger: or it could not park again
        asleep = false;
    }

    private void tell(EventQueue.Entry entry) {
        CallContext context = entry.context();
        List<CommandEvent> events = entry.events();
        entry.forget();
        try {
            if (context == null) {
                tellEach(events);
            } else {
                context.runApart(() -> tellEach(events));
            }
        } catch (Throwable noMemory) {
            drop(events.size());
        }
    }

    private void tellEach(List<CommandEvent> events) {
        for (CommandEvent event : events) {
            if (givenUp) {
                drop(1);
            } else {
                tell(queued, event);
            }
        }
    }

    private void dropWaiting() {
        EventQueue.Entry next = waiting.take();
        while (next != null) {
            drop(next.events().size());
            next.forget();
            next = waiting.take();
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
