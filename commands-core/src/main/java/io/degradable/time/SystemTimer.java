package io.degradable.time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * A timer on the JVM's clock, made for alarms most of which are cancelled long before their moment. Arming pushes the alarm
 * on a stack, one compare-and-set; cancelling takes its task away, another one. Sorting them by their moments is left to the
 * timer's thread, which takes in the whole stack when it is awake anyway, and finds most of them cancelled.
 *
 * <p>An alarm rings at the first tick of about a millisecond that is not before its moment, so the thread wakes once for all
 * alarms of a tick, and not at all while none is due. It is a daemon, and there while something is armed and up to ten
 * seconds more.
 *
 * <pre>
 *   no thread --an alarm is armed--> begun --ten seconds without alarms, or the close--> no thread
 *   begun --there is no memory for a thread--> no thread: who armed is told, what others armed meanwhile is for the next thread
 * </pre>
 *
 * <p>Two sides must not miss each other: the thread says when it will wake, then looks at the stack; who arms pushes, then
 * looks when the thread will wake. One of the two sees the other. It is the same with the end of the thread, and with the
 * close.
 *
 * <p>Threading: every method may be called from any thread. There are no locks: who arms at the end of its stack could leave
 * one taken.
 */
final class SystemTimer implements Timer {

    private static final long IDLE_NANOS = 10_000_000_000L;

    /** So many alarms on the stack, cancelled ones among them, are worth to wake the thread for. */
    private static final int MANY = 1024;

    private static final VarHandle BEGUN;

    static {
        try {
            BEGUN = MethodHandles.lookup().findVarHandle(SystemTimer.class, "begun", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ThreadFactory threads;
    private final long idleNanos;

    /** The stack of alarms that the thread has not seen yet, the newest on top. */
    private final AtomicReference<SystemAlarm> armed = new AtomicReference<>();

    /** Whether there is a thread, or somebody starts one. */
    private volatile boolean begun;

    private volatile boolean closed;

    // Written by the timer's thread.
    private volatile @Nullable Thread thread;
    private volatile long wakesAtNanos;

    // Touched by the timer's thread alone.
    private final AlarmRing ring = new AlarmRing();

    SystemTimer(String name) {
        this(IDLE_NANOS, work -> {
            Thread made = new Thread(null, work, name, 0, false);
            made.setDaemon(true);
            made.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
            return made;
        });
    }

    SystemTimer(long idleNanos, ThreadFactory threads) {
        this.idleNanos = idleNanos;
        this.threads = threads;
    }

    /** {@inheritDoc} Throws what the start of a thread throws, and then does not run the task. */
    @Override
    public Alarm schedule(Runnable task, long atNanos) {
        long dueNanos = AlarmRing.tick(atNanos);
        SystemAlarm alarm = new SystemAlarm(task, dueNanos);
        int height = push(alarm);
        if (closed) {
            cancelArmed();
        } else if (!begun) {
            begin(alarm);
        } else if (dueNanos - wakesAtNanos < 0 || height % MANY == 0) {
            LockSupport.unpark(thread);
        }
        return alarm;
    }

    /** Puts an alarm on the stack, in the place of the cancelled ones on its top. */
    private int push(SystemAlarm alarm) {
        while (true) {
            SystemAlarm top = armed.get();
            SystemAlarm below = top;
            while (below != null && !below.isArmed()) {
                below = below.below;
            }
            int height = below == null ? 1 : below.height + 1;
            alarm.below = below;
            alarm.height = height;
            if (armed.compareAndSet(top, alarm)) {
                return height;
            }
        }
    }

    private void begin(SystemAlarm alarm) {
        if (!BEGUN.compareAndSet(this, false, true)) {
            return;
        }
        try {
            threads.newThread(this::work).start();
        } catch (Throwable noThread) {
            begun = false; // the next one tries again
            alarm.cancel();
            throw noThread;
        }
    }

    @Override
    public void close() {
        closed = true;
        Thread working = thread;
        if (working != null) {
            working.interrupt(); // where a task runs on in somebody's executor, that hears of it
        }
        cancelArmed();
    }

    private void cancelArmed() {
        SystemAlarm alarm = armed.getAndSet(null);
        while (alarm != null) {
            alarm.cancel();
            alarm = alarm.below;
        }
    }

    // ---- the thread ----

    private void work() {
        do {
            thread = Thread.currentThread();
            try {
                ring();
            } finally {
                thread = null;
                begun = false;
            }
        } while (!closed
                && armed.get() != null
                && BEGUN.compareAndSet(this, false, true)); // pushed before it saw the end
    }

    /** Until there has been nothing to do for a while, or the close. */
    private void ring() {
        long nowNanos = System.nanoTime();
        long wakeNanos = nowNanos;
        long lastArmedNanos = nowNanos;
        while (!closed) {
            runDue(nowNanos);
            if (wakeNanos - nowNanos <= 0) {
                boolean empty = ring.isEmpty();
                wakeNanos = empty ? lastArmedNanos + idleNanos : ring.next();
                if (empty && wakeNanos - nowNanos <= 0) {
                    return;
                }
            }
            wakesAtNanos = wakeNanos;
            long earliest = wakeNanos;
            if (armed.get() != null) {
                lastArmedNanos = nowNanos;
                earliest = takeIn(wakeNanos);
            }
            if (earliest == wakeNanos) {
                LockSupport.parkNanos(this, wakeNanos - System.nanoTime());
                boolean unused = Thread.interrupted(); // or it would never park again
            }
            wakeNanos = earliest;
            nowNanos = System.nanoTime();
        }
        ring.clear();
    }

    /**
     * Sorts in what is on the stack.
     *
     * @return the first moment at which something is due. Cancelled alarms count: if they did not, then in a slow stream of
     *     short calls each one would find the thread sleeping for long, and wake it in vain.
     */
    private long takeIn(long wakeNanos) {
        SystemAlarm newest = armed.getAndSet(null);
        SystemAlarm oldest = null;
        while (newest != null) {
            SystemAlarm below = newest.below;
            newest.below = null; // an alarm that waits for long would hold those that came before it
            newest.next = oldest;
            oldest = newest;
            newest = below;
        }
        long earliest = wakeNanos;
        while (oldest != null) {
            SystemAlarm after = oldest.next;
            oldest.next = null;
            earliest = Spans.earlier(earliest, ring.add(oldest));
            oldest = after;
        }
        return earliest;
    }

    private void runDue(long nowNanos) {
        SystemAlarm due = ring.takeDue(nowNanos);
        while (due != null) {
            SystemAlarm after = due.next;
            due.next = null;
            run(due);
            due = after == null ? ring.takeDue(nowNanos) : after;
        }
    }

    private void run(SystemAlarm alarm) {
        Runnable task = alarm.take();
        if (task == null || closed) {
            return;
        }
        try {
            task.run();
        } catch (Throwable mistake) {
            Thread self = Thread.currentThread();
            try {
                self.getUncaughtExceptionHandler().uncaughtException(self, mistake);
            } catch (Throwable again) {
                // The handler was the last to hear of it; the JVM lets it throw in vain, too.
            }
        }
    }
}
