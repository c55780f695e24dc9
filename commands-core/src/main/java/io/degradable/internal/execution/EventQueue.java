package io.degradable.internal.execution;

import io.degradable.event.CommandEvent;
import io.degradable.internal.guard.CallContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What listeners are still to be told, in order and with a bound. The entries are its links, and each has a number, so what
 * waits is the difference of the numbers at both ends.
 *
 * <p>Threading: every method may be called from any thread; none waits. To add and to take is one compare-and-set each, behind
 * which nothing is called: at the end of a stack or of the memory it was done or not.
 */
final class EventQueue {

    private static final VarHandle TAKEN;
    private static final VarHandle ADDED;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(EventQueue.class, "taken", Entry.class);
            ADDED = MethodHandles.lookup().findVarHandle(EventQueue.class, "added", Entry.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;

    /** The entry that was taken last; what comes after it waits. */
    private volatile Entry taken = new Entry(null, List.of());

    /** The entry that was added last. */
    private volatile Entry added = taken;

    /** What is told together, with what the call carried along; a breaker belongs to no call. */
    static final class Entry {

        private @Nullable CallContext context;
        private List<CommandEvent> events;

        /** How many were added so far, itself included. */
        private long number;

        /** Itself once another was taken: else the oldest of what is garbage would keep all that came after. */
        private volatile @Nullable Entry next;

        Entry(@Nullable CallContext context, List<CommandEvent> events) {
            this.context = context;
            this.events = events;
        }

        @Nullable
        CallContext context() {
            return context;
        }

        List<CommandEvent> events() {
            return events;
        }

        /** Lets go of what was told: it stays a link until another is taken. */
        void forget() {
            context = null;
            events = List.of();
        }
    }

    EventQueue(int capacity) {
        this.capacity = capacity;
    }

    /** Adds an entry, once. False when so many wait as may. */
    boolean add(Entry entry) {
        while (true) {
            Entry before = added;
            entry.number = before.number + 1;
            if (entry.number - taken.number > capacity) { // read after what was added: so it really is full
                return false;
            }
            if (ADDED.compareAndSet(this, before, entry)) {
                before.next = entry;
                return true;
            }
        }
    }

    /** The next in order, for who calls alone; null when none waits, or its predecessor is just being added. */
    @Nullable
    Entry take() {
        while (true) {
            Entry before = taken;
            Entry next = before.next;
            if (next == null) {
                return null;
            }
            if (next != before && TAKEN.compareAndSet(this, before, next)) {
                before.next = before;
                return next;
            }
        }
    }

    /** Whether {@link #take} has nothing. Of who adds at the same moment, he sees what was written before this was asked. */
    boolean isEmpty() {
        return taken.next == null;
    }
}
