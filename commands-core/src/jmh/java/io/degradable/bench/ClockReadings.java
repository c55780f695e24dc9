package io.degradable.bench;

import io.degradable.Commands;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.util.concurrent.atomic.AtomicLong;

/** How often the clock is read for one call, and how many timers a call on a pool arms whose caller waits. */
final class ClockReadings {

    private static final int CALLS = 1_000;

    private ClockReadings() {}

    /** The system's time, counting who asks. */
    private static final class Counting implements Ticker {

        private final Ticker system = Ticker.system();
        private final AtomicLong readings = new AtomicLong();
        private final AtomicLong armed = new AtomicLong();

        @Override
        public long nanos() {
            readings.incrementAndGet();
            return system.nanos();
        }

        @Override
        public long epochMillis() {
            return system.epochMillis();
        }

        @Override
        public void await(Object blocker, long untilNanos) {
            system.await(blocker, untilNanos);
        }

        @Override
        public Timer newTimer(String name) {
            Timer timer = system.newTimer(name);
            return new Timer() {

                @Override
                public Alarm schedule(Runnable task, long atNanos) {
                    armed.incrementAndGet();
                    return timer.schedule(task, atNanos);
                }

                @Override
                public void close() {
                    timer.close();
                }
            };
        }
    }

    public static void main(String[] arguments) throws Exception {
        Counting ticker = new Counting();
        try (Ours ours = new Ours(Commands.builder().ticker(ticker).build())) {
            Figures figures = new Figures();
            figures.put("clock success", readings(ticker, ours::success));
            figures.put("clock failure", readings(ticker, ours::failureThenStatic));
            figures.put("clock open", readings(ticker, ours::openThenStatic));
            long armed = ticker.armed.get();
            figures.put("clock pool", readings(ticker, ours::successOnPool));
            figures.put("timers armed", ticker.armed.get() - armed);
            figures.write("clock");
        }
    }

    private static double readings(Counting ticker, Runnable call) {
        call.run();
        long before = ticker.readings.get();
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        return (ticker.readings.get() - before) / (double) CALLS;
    }
}
