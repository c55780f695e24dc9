package io.degradable.snapshots;

import io.degradable.time.Ticker;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/** One thread of this package, a daemon, of which the end can be awaited. */
final class Worker {

    private final Thread thread;
    private volatile boolean ended;
    private volatile @Nullable Thread awaiting;

    private Worker(String name, Runnable work) {
        this.thread = new Thread(
                null,
                () -> {
                    try {
                        work.run();
                    } finally {
                        ended = true;
                        LockSupport.unpark(awaiting);
                    }
                },
                name,
                0,
                false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
    }

    static Worker start(String name, Runnable work) {
        Worker worker = new Worker(name, work);
        worker.thread.start();
        return worker;
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isCurrent() {
        return thread == Thread.currentThread();
    }

    /** Waits for the end of the work, until a moment at most; an interrupt of the waiting thread ends the wait, and stays. */
    boolean awaitEnd(Ticker ticker, long untilNanos) {
        awaiting = Thread.currentThread();
        while (!ended
                && ticker.nanos() - untilNanos < 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
        awaiting = null;
        return ended;
    }
}
