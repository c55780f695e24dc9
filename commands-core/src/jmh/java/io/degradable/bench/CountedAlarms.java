package io.degradable.bench;

import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The JVM's clock, and how many alarms wait: set by the library, and neither gone off nor taken back. What a timer holds on to
 * although it was taken back is not seen here but on the heap.
 */
final class CountedAlarms implements Ticker {

    private final Ticker clock = Ticker.system();
    private final AtomicLong waiting = new AtomicLong();

    long waiting() {
        return waiting.get();
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public long epochMillis() {
        return clock.epochMillis();
    }

    @Override
    public void await(Object blocker, long untilNanos) {
        clock.await(blocker, untilNanos);
    }

    @Override
    public Timer newTimer(String name) {
        Timer timer = clock.newTimer(name);
        return new Timer() {

            @Override
            public Alarm schedule(Runnable task, long atNanos) {
                AtomicBoolean waits = new AtomicBoolean(true);
                waiting.incrementAndGet();
                Alarm alarm = timer.schedule(
                        () -> {
                            over(waits);
                            task.run();
                        },
                        atNanos);
                return () -> {
                    over(waits);
                    alarm.cancel();
                };
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    private void over(AtomicBoolean waits) {
        if (waits.getAndSet(false)) {
            waiting.decrementAndGet();
        }
    }
}
