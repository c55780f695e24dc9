package io.degradable.internal.bulkhead;

import io.degradable.model.StageReason;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.Require;
import io.degradable.time.DeadlineThread;
import io.degradable.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
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
public final class ThreadPoolBulkhead implements WorkerBulkhead {

    private final Slots slots;
    private final Slots callers;
    private final Threads threads;
    private final BulkheadSettings.ThreadPool declared;
    private volatile int size;

    public ThreadPoolBulkhead(BulkheadSettings.ThreadPool settings) {
        this.declared = settings;
        this.size = settings.size();
        this.slots = new Slots(slotsOf(settings.size(), settings.queue()));
        this.callers = new Slots(settings.callerRuns());
        this.threads = new Threads(settings);
    }

    private static int slotsOf(int size, int queue) {
        return (int) Math.min(Integer.MAX_VALUE, (long) size + queue);
    }

    private static final class Threads extends ThreadPoolExecutor {

        private final Set<DeadlineThread> alive = ConcurrentHashMap.newKeySet();
        private volatile @Nullable Thread closer;
        private volatile boolean ended;
        private volatile boolean cancelling;

        Threads(BulkheadSettings.ThreadPool settings) {
            super(settings.size(), settings.size(), 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
            allowCoreThreadTimeOut(true);
            AtomicInteger number = new AtomicInteger();
            setThreadFactory(work -> {
                String name = "degradable-" + settings.name() + "-" + number.incrementAndGet();
                DeadlineThread thread = new DeadlineThread(() -> inSet(work), name, this);
                thread.setContextClassLoader(null); // it would keep the loader of whoever made it come alive
                return thread;
            });
        }

        private void inSet(Runnable work) {
            DeadlineThread thread = (DeadlineThread) Thread.currentThread();
            alive.add(thread);
            try {
                work.run();
            } finally {
                alive.remove(thread);
            }
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
            ((DeadlineThread) thread).task(task);
            if (cancelling) {
                cancel(task); // its thread was only on its way when all tasks were cancelled
            }
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
            ((DeadlineThread) Thread.currentThread()).task(null);
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
    public boolean tryEnterAsCaller() {
        return callers.tryTake();
    }

    @Override
    public void exitAsCaller() {
        callers.giveBack();
    }

    @Override
    public StageReason full() {
        return StageReason.THREAD_POOL_FULL;
    }

    @Override
    public void start(Runnable body) {
        threads.execute(body);
    }

    @Override
    public void remove(Runnable body) {
        threads.remove(body);
    }

    @Override
    public boolean isCalledByWorker() {
        return Thread.currentThread() instanceof DeadlineThread worker && worker.owner() == threads;
    }

    @Override
    public int limit() {
        return size;
    }

    @Override
    public int active() {
        return Math.min(slots.taken(), running());
    }

    @Override
    public int queued() {
        return Math.max(0, slots.taken() - running());
    }

    /** How many bodies can be running: after it was shrunk there are more threads than its size for a while. */
    private int running() {
        return Math.max(size, threads.getPoolSize());
    }

    /** As it was declared; {@link #size()} and {@link #queue()} may have been changed since. */
    public BulkheadSettings.ThreadPool declared() {
        return declared;
    }

    /** Threads it may have now. */
    public int size() {
        return size;
    }

    /** Places for calls that wait for a thread now. */
    public int queue() {
        return Math.max(0, slots.limit() - size);
    }

    /** Sets other targets: a smaller pool lets running bodies end and never blocks, a larger one takes more at once. */
    public synchronized void resize(int size, int queue) {
        Require.positive("threadPool.size", size);
        Require.notNegative("threadPool.queue", queue);
        // The order keeps core <= maximum at every moment, which the executor insists on.
        if (size > threads.getMaximumPoolSize()) {
            threads.setMaximumPoolSize(size);
            threads.setCorePoolSize(size);
        } else {
            threads.setCorePoolSize(size);
            threads.setMaximumPoolSize(size);
        }
        this.size = size;
        slots.limit(slotsOf(size, queue));
    }

    /** Sets all its figures; how long one waits in the queue is up to who waits. */
    public void tune(BulkheadSettings.ThreadPool to) {
        resize(to.size(), to.queue());
        callers.limit(to.callerRuns());
    }

    /** Threads alive now. */
    public int threads() {
        return threads.getPoolSize();
    }

    /** The most threads there have been at once. */
    public int largestPoolSize() {
        return threads.getLargestPoolSize();
    }

    /** Bodies that have ended. */
    public long completed() {
        return threads.getCompletedTaskCount();
    }

    @Override
    public void shutdown() {
        threads.shutdown();
    }

    @Override
    public boolean awaitEnd(Ticker ticker, long untilNanos) {
        threads.closer = Thread.currentThread();
        while (!threads.ended
                && untilNanos - ticker.nanos() > 0
                && !Thread.currentThread().isInterrupted()) {
            ticker.await(this, untilNanos);
        }
        return threads.ended;
    }

    @Override
    public void cancelAll(Executor interrupts) {
        threads.cancelling = true; // before it looks at the threads: one of the two sees the other
        threads.alive.forEach(thread -> cancel(thread.task()));
        List<Runnable> waiting = new ArrayList<>();
        threads.getQueue().drainTo(waiting); // what was in the queue is in here, or meets its thread, which cancels it
        waiting.forEach(ThreadPoolBulkhead::cancel);
        interrupts.execute(threads::shutdownNow);
    }

    private static void cancel(@Nullable Runnable body) {
        if (body instanceof Task task) {
            task.cancel();
        }
    }
}
