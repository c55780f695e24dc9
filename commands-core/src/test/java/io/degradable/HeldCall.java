package io.degradable;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.Nullable;

/**
 * A body that a test holds and lets go; several calls may be in it. It ignores interrupts, as a loop does that never looks:
 * its thread leaves it with the flag set.
 */
final class HeldCall implements Callable<String> {

    private final AtomicInteger starts = new AtomicInteger();
    private final Semaphore started = new Semaphore(0);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicReference<Thread> thread = new AtomicReference<>();

    @Override
    public String call() {
        starts.incrementAndGet();
        thread.set(Thread.currentThread());
        started.release();
        boolean flag = false;
        while (true) {
            try {
                release.await();
                break;
            } catch (InterruptedException ignoredFor) {
                flag = true;
                interrupted.countDown();
            }
        }
        if (flag) {
            Thread.currentThread().interrupt();
        }
        return "held";
    }

    /** Waits for this many more calls to be in the body. */
    void untilStarted(int calls) throws InterruptedException {
        started.acquire(calls);
    }

    /** How many calls have come into the body so far. */
    int starts() {
        return starts.get();
    }

    /** Where the last call runs. */
    @Nullable
    Thread thread() {
        return thread.get();
    }

    void untilInterrupted() throws InterruptedException {
        interrupted.await();
    }

    boolean wasInterrupted() {
        return interrupted.getCount() == 0;
    }

    /** Lets every call return {@code held}, those to come too. */
    void letGo() {
        release.countDown();
    }
}
