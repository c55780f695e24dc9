package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.VirtualThreads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.Nullable;

/**
 * Where asynchronous runs go on after a worker or the timer has decided: the rest of the chain, and whatever depends on the
 * future. One thread for each run that goes on at the moment, so never more than calls in flight: virtual ones from Java 21
 * on, else daemons that go when idle.
 *
 * <p>An executor of the user may lose what it is given. So that is kept here until it has ended, as is what waits for its
 * moment, and when the container closes, our own threads run what has not begun.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Continuations {

    private final Executor executor;
    private final ThreadPoolExecutor own;

    /** Whether the executor is the user's, and may lose what it is given. */
    private final boolean replaced;

    /** What was given to an executor that may lose it, or is kept for later, and has not ended. */
    private final Set<Driver> kept = ConcurrentHashMap.newKeySet();

    private final Runnable whenEnded;
    private volatile boolean takenOver;

    /** Threads that do what nobody waits for. */
    private final Set<Thread> aside = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /**
     * The continuations of a container.
     *
     * @param replacement the user's executor
     * @param whenEnded told when one that was kept has ended
     */
    Continuations(String container, @Nullable Executor replacement, Runnable whenEnded) {
        this.own = ownThreads("degradable-" + container + "-continuation-");
        this.replaced = replacement != null;
        this.whenEnded = whenEnded;
        if (replacement != null) {
            executor = replacement;
        } else if (VirtualThreads.areThere()) {
            ThreadFactory threads = VirtualThreads.factory("degradable-" + container + "-continuation-");
            executor = driver -> threads.newThread(driver).start();
        } else {
            executor = own;
        }
    }

    private static ThreadPoolExecutor ownThreads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
            Thread thread = new Thread(null, work, prefix + number.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
            return thread;
        });
    }

    /** Runs a driver on a thread of the executor; on one of our own when that has none to give. */
    void execute(Runnable driver) {
        Driver once = null;
        try {
            once = new Driver(driver);
            if (replaced) {
                kept.add(once); // ours lose nothing, and a map has monitors, which have no place on the way of a call
            }
        } catch (Throwable noMemory) {
            (once == null ? driver : once).run(); // here: a run must end even so
            return;
        }
        begin(once);
    }

    /** Keeps a driver for {@link #begin}; when the container closes, it is run then. */
    Runnable keep(Runnable driver) {
        Driver once = new Driver(driver);
        kept.add(once);
        return once;
    }

    /** Runs a driver the first time it is asked to. */
    void begin(Runnable once) {
        if (takenOver) { // asked after it was kept: who takes over sees it, or is seen
            executeHere(once);
            return;
        }
        try {
            executor.execute(once);
        } catch (Throwable refused) {
            executeHere(once); // it may have been taken all the same
        }
    }

    /** Delivers an interrupt: on threads of our own, since a channel that it closes can hold one up. */
    void interrupt(Runnable delivery) {
        executeHere(delivery);
    }

    /** Does what nobody waits for, on a thread of our own; interrupted at the close. False when it will not be done. */
    boolean aside(Runnable work) {
        try {
            own.execute(() -> {
                Thread self = Thread.currentThread();
                aside.add(self);
                try {
                    if (!closed) { // asked after it was added: who closes sees it, or is seen
                        work.run();
                    }
                } finally {
                    aside.remove(self);
                    boolean unused = Thread.interrupted(); // it was meant for what has ended
                }
            });
            return true;
        } catch (Throwable noThread) {
            return false;
        }
    }

    private void executeHere(Runnable driver) {
        try {
            own.execute(driver);
        } catch (Throwable noThread) {
            driver.run(); // a run must end even so: the container is closed, or the system has no thread left
        }
    }

    /** Gives the executor nothing more, and runs on our own threads what was kept and has not begun. */
    void takeOver() {
        takenOver = true;
        for (Driver driver : kept) {
            if (!driver.hasBegun()) {
                executeHere(driver);
            }
        }
    }

    /** Whether the executor is the user's, so that what it has lost has to be waited for. */
    boolean areReplaced() {
        return replaced;
    }

    /** Whether something that was kept has not ended. */
    boolean areUnderWay() {
        return !kept.isEmpty();
    }

    /** Takes what the calling thread runs for ended: it is about to wait for all the others. */
    void waitsForOthers() {
        Thread caller = Thread.currentThread();
        if (kept.removeIf(driver -> driver.by == caller)) {
            whenEnded.run();
        }
    }

    boolean areClosed() {
        return closed;
    }

    void close() {
        closed = true;
        aside.forEach(Thread::interrupt);
        own.shutdown();
    }

    /** Begins once, whoever of those it was given to is the first, and is not held by the others from then on. */
    private final class Driver implements Runnable {

        private final AtomicReference<Runnable> work;
        private volatile @Nullable Thread by;

        Driver(Runnable work) {
            this.work = new AtomicReference<>(work);
        }

        boolean hasBegun() {
            return work.get() == null;
        }

        @Override
        public void run() {
            Runnable mine = work.getAndSet(null);
            if (mine == null) {
                return;
            }
            by = Thread.currentThread();
            try {
                mine.run();
            } finally {
                by = null;
                if (kept.remove(this)) {
                    whenEnded.run();
                }
            }
        }
    }
}
