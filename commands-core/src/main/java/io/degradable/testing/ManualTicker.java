package io.degradable.testing;

import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A ticker that stands still until the test moves it. Threads that wait with a limit wake when {@link #advance} reaches
 * their limit; {@link #untilWaiting} lets a test move time only once a caller really waits.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class ManualTicker implements Ticker {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private record Waiter(Thread thread, long untilNanos) {}

    private final List<Waiter> waiters = new ArrayList<>(); // guarded by this
    private final List<Due> alarms = new ArrayList<>(); // guarded by this
    private volatile long nanos;
    private volatile long epochMillis;
    private long sinceEpochMilli; // nanoseconds of a millisecond that is not full; guarded by this
    private volatile long readings;

    /** Starts close to the overflow of {@code long}, so that code which compares readings with {@code <} is found out. */
    public ManualTicker() {
        this(Long.MAX_VALUE - Duration.ofMinutes(1).toNanos(), 1_767_225_600_000L);
    }

    /** Starts at the given readings. */
    public ManualTicker(long nanos, long epochMillis) {
        this.nanos = nanos;
        this.epochMillis = epochMillis;
    }

    @Override
    public long nanos() {
        synchronized (this) {
            readings++;
        }
        return nanos;
    }

    /** How often {@link #nanos()} was asked so far. */
    public synchronized long readings() {
        return readings;
    }

    @Override
    public long epochMillis() {
        return epochMillis;
    }

    @Override
    public void await(Object blocker, long untilNanos) {
        Waiter waiter = new Waiter(Thread.currentThread(), untilNanos);
        synchronized (this) {
            if (isOver(untilNanos)) {
                return;
            }
            waiters.add(waiter);
            notifyAll();
        }
        LockSupport.park(blocker);
        synchronized (this) {
            waiters.remove(waiter);
        }
    }

    /**
     * Moves both clocks forward, wakes every waiter whose limit is reached, and then runs, on the calling thread, every
     * timer task that is due, the earliest first.
     */
    public void advance(Duration span) {
        if (span.isNegative()) {
            throw new IllegalArgumentException("span must not be negative, was " + span);
        }
        List<Due> due;
        synchronized (this) {
            nanos += span.toNanos();
            sinceEpochMilli += span.toNanos() % NANOS_PER_MILLI;
            epochMillis += span.toMillis() + sinceEpochMilli / NANOS_PER_MILLI;
            sinceEpochMilli %= NANOS_PER_MILLI;
            // Whoever is woken waits no more from here on, so that a test can move time, then wait for the next waiter.
            waiters.removeIf(waiter -> {
                boolean over = isOver(waiter.untilNanos);
                if (over) {
                    LockSupport.unpark(waiter.thread);
                }
                return over;
            });
            due = alarms.stream()
                    .filter(alarm -> isOver(alarm.atNanos))
                    .sorted((one, other) -> Long.signum(one.atNanos - other.atNanos)) // readings may overflow
                    .toList();
            alarms.removeAll(due);
        }
        due.forEach(alarm -> alarm.task.run());
    }

    private boolean isOver(long moment) {
        return moment - nanos <= 0;
    }

    private record Due(Runnable task, long atNanos) {}

    @Override
    public Timer newTimer(String name) {
        return new Timer() {
            private final List<Due> own = new ArrayList<>(); // guarded by the ticker

            @Override
            public Timer.Alarm schedule(Runnable task, long atNanos) {
                Due alarm = new Due(task, atNanos);
                synchronized (ManualTicker.this) {
                    if (!isOver(atNanos)) {
                        alarms.add(alarm);
                        own.add(alarm);
                        ManualTicker.this.notifyAll();
                        return () -> remove(alarm);
                    }
                }
                task.run();
                return () -> {};
            }

            private void remove(Due alarm) {
                synchronized (ManualTicker.this) {
                    alarms.remove(alarm);
                    own.remove(alarm);
                }
            }

            @Override
            public void close() {
                synchronized (ManualTicker.this) {
                    alarms.removeAll(own);
                    own.clear();
                }
            }
        };
    }

    /** Moves the wall clock alone, also backwards, as an operator or NTP does. */
    public synchronized void stepWallClock(Duration step) {
        epochMillis += step.toMillis();
    }

    /** Blocks until at least {@code count} threads and timer tasks wait with a limit on this ticker. */
    public synchronized void untilWaiting(int count) throws InterruptedException {
        while (waiters.size() + alarms.size() < count) {
            wait();
        }
    }
}
