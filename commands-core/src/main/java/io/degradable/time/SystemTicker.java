package io.degradable.time;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** The JVM's own clocks. */
enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long epochMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    @Override
    public void await(Object blocker, long untilNanos) {
        long left = untilNanos - System.nanoTime();
        if (left > 0) {
            LockSupport.parkNanos(blocker, left);
        }
    }

    @Override
    public Timer newTimer(String name) {
        return new SystemTimer(name);
    }
}
