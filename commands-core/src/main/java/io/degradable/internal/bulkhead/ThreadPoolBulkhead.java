package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.time.DeadlineThread;
import io.degradable.time.Ticker;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.Nullable;

/**
 * Bodies run on threads of a pool, which grows to its size before it queues.
 *
 * <p>Admission is a count of our own: running and waiting bodies together hold at most {@code size + queue} slots. The
 * executor behind it never refuses, so a slot that was just given back is good at once, although its worker may need
 * another microsecond to come back for work. A {@code SynchronousQueue} would refuse in that moment.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class ThreadPoolBulkhead implements Bulkhead {

    private final BulkheadSettings.ThreadPool settings;
    private final Slots slots;
    private final Executor executor;

    public ThreadPoolBulkhead(BulkheadSettings.ThreadPool settings) {
        this.settings = settings;
        this.slots = new Slots((int) Math.min(Integer.MAX_VALUE, (long) settings.size() + settings.queue()));
        this.executor = new Executor(settings);
    }

    private static final class Executor extends ThreadPoolExecutor {

        private volatile @Nullable Thread closer;
        private volatile boolean ended;

        Executor(BulkheadSettings.ThreadPool settings) {
            super(
                    settings.size(),
                    settings.size(),
                    1,
                    TimeUnit.MINUTES,
                    new LinkedBlockingQueue<>(),
                    named(settings.name()));
            allowCoreThreadTimeOut(true);
        }

        private static ThreadFactory named(String pool) {
            AtomicInteger number = new AtomicInteger();
            return work -> new DeadlineThread(work, "degradable-" + pool + "-" + number.incrementAndGet());
        }

        @Override
        protected void terminated() {
            ended = true; // isTerminated() becomes true only after this method, too late for who is woken here
            LockSupport.unpark(closer);
        }
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
    public StageReason full() {
        return StageReason.THREAD_POOL_FULL;
    }

    /**
     * Hands a body that holds a slot to a thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #shutdown}
     */
    public void start(Runnable body) {
        executor.execute(body);
    }

    /** Takes a body that has not started out of the queue. */
    public void remove(Runnable body) {
        executor.remove(body);
    }

    @Override
    public int active() {
        return Math.min(slots.taken(), settings.size());
    }

    @Override
    public int queued() {
        return Math.max(0, slots.taken() - settings.size());
    }

    public BulkheadSettings.ThreadPool settings() {
        return settings;
    }

    /** Threads alive now. */
    public int threads() {
        return executor.getPoolSize();
    }

    /** The most threads there have been at once. */
    public int largestPoolSize() {
        return executor.getLargestPoolSize();
    }

    /** Bodies that have ended. */
    public long completed() {
        return executor.getCompletedTaskCount();
    }

    /** Lets no further body in. */
    public void shutdown() {
        executor.shutdown();
    }

    /** Waits for the running bodies until a moment or an interrupt, and says whether all have ended. */
    public boolean awaitEnd(Ticker ticker, long untilNanos) {
        executor.closer = Thread.currentThread();
        while (!executor.ended
                && untilNanos - ticker.nanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
        return executor.ended;
    }

    /** Interrupts the running bodies, and returns those that never started. */
    public List<Runnable> interruptAll() {
        return executor.shutdownNow();
    }
}
