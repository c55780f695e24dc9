package io.degradable.stream;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;

/**
 * The daemon thread of a timer. An executor that has terminated may still have a thread that lives for a moment; this one
 * waits for the thread itself.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class TimerThreads implements ThreadFactory {

    private final String name;
    private final Set<Thread> made = ConcurrentHashMap.newKeySet();

    TimerThreads(String name) {
        this.name = name;
    }

    /** A timer with one of them. */
    static ScheduledThreadPoolExecutor timer(TimerThreads threads) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    @Override
    public Thread newThread(Runnable work) {
        made.removeIf(thread -> thread.getState() == Thread.State.TERMINATED); // the timer has replaced it
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        made.add(thread);
        return thread;
    }

    /** Waits for the end of those alive; false when it did not come in time, or the calling thread was interrupted. */
    boolean awaitEnd(Duration limit) {
        long untilNanos = System.nanoTime() + limit.toNanos();
        try {
            for (Thread thread : made) {
                long leftMillis = (untilNanos - System.nanoTime()) / 1_000_000;
                thread.join(Math.max(1, leftMillis)); // 0 would be for ever
            }
        } catch (InterruptedException leave) {
            Thread.currentThread().interrupt();
            return false;
        }
        return made.stream().noneMatch(Thread::isAlive);
    }
}
