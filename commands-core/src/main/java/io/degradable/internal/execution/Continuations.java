package io.degradable.internal.execution;

import io.degradable.internal.bulkhead.VirtualThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/**
 * Where asynchronous runs go on after a worker or the timer has decided: the rest of the chain, and whatever depends on the
 * future. One thread for each run that goes on at the moment, so never more than calls in flight: virtual ones from Java 21
 * on, else daemons that go when idle.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Continuations {

    private final Executor executor;
    private final ThreadPoolExecutor own;

    Continuations(String container, @Nullable Executor replacement) {
        own = ownThreads("degradable-" + container + "-continuation-");
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
            return thread;
        });
    }

    /** Runs a driver on a thread of the executor; on one of our own when that has none to give. */
    void execute(Runnable driver) {
        AtomicBoolean begun = new AtomicBoolean();
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                driver.run();
            }
        };
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

    private void executeHere(Runnable driver) {
        try {
            own.execute(driver);
        } catch (Throwable noThread) {
            driver.run(); // a run must end even so: the container is closed, or the system has no thread left
        }
    }

    void close() {
        own.shutdown();
    }
}
