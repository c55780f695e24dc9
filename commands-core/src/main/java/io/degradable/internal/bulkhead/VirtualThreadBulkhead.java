package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.time.Ticker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * Each body runs on a virtual thread of its own, and only so many at once.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class VirtualThreadBulkhead implements WorkerBulkhead {

    private final Slots slots;
    private final ThreadFactory threads;
    private final Set<Runnable> inside = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile @Nullable Thread closer;

    /**
     * A bulkhead of virtual threads.
     *
     * @param name of the command, for the threads' names
     * @throws IllegalStateException below Java 21
     */
    public VirtualThreadBulkhead(String name, BulkheadSettings.VirtualThreads settings) {
        this.slots = new Slots(settings.limit());
        this.threads = VirtualThreads.factory("degradable-" + name + "-");
    }

    @Override
    public boolean tryEnter() {
        return slots.tryTake();
    }

    @Override
    public void exit() {
        slots.giveBack();
    }

    @Override
    public boolean tryEnterAsCaller() {
        return false;
    }

    @Override
    public void exitAsCaller() {
        throw new AssertionError("no caller's slot was taken");
    }

    @Override
    public StageReason full() {
        return StageReason.THREAD_POOL_FULL;
    }

    @Override
    public void start(Runnable body) {
        inside.add(body); // before it looks whether it is closed: one of the two sees the other
        if (closed) {
            leave(body);
            throw new RejectedExecutionException("closed");
        }
        threads.newThread(() -> runInside(body)).start();
    }

    private void runInside(Runnable body) {
        try {
            body.run();
        } finally {
            leave(body);
        }
    }

    private void leave(Runnable body) {
        inside.remove(body);
        if (closed && inside.isEmpty()) {
            LockSupport.unpark(closer);
        }
    }

    @Override
    public void remove(Runnable body) {
        leave(body);
    }

    @Override
    public boolean isCalledByWorker() {
        return false;
    }

    @Override
    public int limit() {
        return slots.limit();
    }

    @Override
    public int active() {
        return slots.taken();
    }

    @Override
    public int queued() {
        return 0;
    }

    /** Sets another target. */
    public void resize(int limit) {
        slots.limit(limit);
    }

    @Override
    public void shutdown() {
        closed = true;
    }

    @Override
    public boolean awaitEnd(Ticker ticker, long untilNanos) {
        closer = Thread.currentThread();
        while (!inside.isEmpty()
                && untilNanos - ticker.nanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
        return inside.isEmpty();
    }

    @Override
    public void cancelAll(Executor interrupts) {
        for (Runnable body : inside) {
            if (body instanceof Task task) {
                task.cancel();
            }
        }
    }
}
