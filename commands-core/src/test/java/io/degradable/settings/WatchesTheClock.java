package io.degradable.settings;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.Timer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Each method here tells the time or waits with a limit without the ticker, and the test of the ladder has to find every one
 * of them. Never run.
 */
@SuppressWarnings("all")
public abstract class WatchesTheClock {

    interface TimedWait {
        boolean await(long span, TimeUnit unit) throws InterruptedException;
    }

    interface ThreadWait {
        void await(Thread thread, long millis) throws InterruptedException;
    }

    /** A pool of our own inherits timed waits, and a call of them names this class, not the JDK's. */
    static final class Pool extends ThreadPoolExecutor {
        Pool() {
            super(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        }
    }

    public static final class HoldsAClock {
        Clock clock;
    }

    public static final class HoldsATimer {
        Object timer() {
            return new Timer();
        }
    }

    public static final class HoldsAScheduler {
        void schedule(ScheduledExecutorService scheduler) {}
    }

    private WatchesTheClock() {}

    long nanoTime() {
        return System.nanoTime();
    }

    LongSupplier nanoTimeReference() {
        return System::nanoTime;
    }

    long nanoTimeInALambda() {
        LongSupplier lambda = () -> System.nanoTime();
        return lambda.getAsLong();
    }

    long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    LongSupplier currentTimeMillisReference() {
        return System::currentTimeMillis;
    }

    Object instant() {
        return Instant.now();
    }

    Supplier<?> instantReference() {
        return Instant::now;
    }

    Object localDateTime() {
        return LocalDateTime.now();
    }

    Object date() {
        return new Date();
    }

    Supplier<?> dateReference() {
        return Date::new;
    }

    Object calendar() {
        return Calendar.getInstance();
    }

    void parkNanos() {
        LockSupport.parkNanos(this, 1);
    }

    LongConsumer parkNanosReference() {
        return LockSupport::parkNanos;
    }

    void parkUntil() {
        LockSupport.parkUntil(this, 1);
    }

    void objectWait() throws InterruptedException {
        wait(1);
    }

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }

    void sleepOnAUnit() throws InterruptedException {
        TimeUnit.SECONDS.sleep(1);
    }

    void join(Thread thread) throws InterruptedException {
        thread.join(1);
    }

    ThreadWait joinReference() {
        return Thread::join;
    }

    void joinOnAUnit(Thread thread) throws InterruptedException {
        TimeUnit.SECONDS.timedJoin(thread, 1);
    }

    void condition(Condition condition) throws InterruptedException {
        condition.await(1, TimeUnit.SECONDS);
    }

    void conditionNanos(Condition condition) throws InterruptedException {
        condition.awaitNanos(1);
    }

    Object future(Future<?> future) throws Exception {
        return future.get(1, TimeUnit.SECONDS);
    }

    void latch(CountDownLatch latch) throws InterruptedException {
        latch.await(1, TimeUnit.SECONDS);
    }

    TimedWait latchReference(CountDownLatch latch) {
        return latch::await;
    }

    void semaphore(Semaphore semaphore) throws InterruptedException {
        semaphore.tryAcquire(1, TimeUnit.SECONDS);
    }

    Object poll(BlockingQueue<?> queue) throws InterruptedException {
        return queue.poll(1, TimeUnit.SECONDS);
    }

    void offer(LinkedBlockingQueue<Object> queue) throws InterruptedException {
        queue.offer("", 1, TimeUnit.SECONDS);
    }

    void orTimeout(CompletableFuture<?> future) {
        future.orTimeout(1, TimeUnit.SECONDS);
    }

    void completeOnTimeout(CompletableFuture<String> future) {
        future.completeOnTimeout("", 1, TimeUnit.SECONDS);
    }

    Executor delayedExecutor() {
        return CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
    }

    void awaitTermination(ExecutorService pool) throws InterruptedException {
        pool.awaitTermination(1, TimeUnit.SECONDS);
    }

    void awaitTerminationOfAPoolOfOurs(Pool pool) throws InterruptedException {
        pool.awaitTermination(1, TimeUnit.SECONDS);
    }

    TimedWait awaitTerminationReference(Pool pool) {
        return pool::awaitTermination;
    }

    void schedule(ScheduledExecutorService scheduler) {
        scheduler.schedule(() -> {}, 1, TimeUnit.SECONDS);
    }

    void scheduleAtFixedRate(ScheduledExecutorService scheduler) {
        scheduler.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.SECONDS);
    }
}
