package io.degradable.bench;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A permit by compare-and-set, two clock readings, one striped counter; on a pool, submit and get. */
final class Limit implements Peer {

    private final AtomicInteger taken = new AtomicInteger();
    private final LongAdder answered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ExecutorService pool = Executors.newFixedThreadPool(Work.LIMIT);
    private volatile long openUntilNanos = System.nanoTime() + Work.OPEN_FOR.toNanos();

    private boolean tryTake() {
        while (true) {
            int before = taken.get();
            if (before >= Work.LIMIT) {
                return false;
            }
            if (taken.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    private void giveBack() {
        while (true) {
            int before = taken.get();
            if (taken.compareAndSet(before, before - 1)) {
                return;
            }
        }
    }

    @Override
    public Object success() {
        if (!tryTake()) {
            return Work.TEMPLATE;
        }
        long start = System.nanoTime();
        try {
            return Work.answer();
        } finally {
            answered.add(System.nanoTime() - start);
            giveBack();
        }
    }

    @Override
    public Object failureThenStatic() {
        if (!tryTake()) {
            return Work.TEMPLATE;
        }
        long start = System.nanoTime();
        try {
            return Work.fail();
        } catch (Work.Broken broken) {
            failed.add(System.nanoTime() - start);
            return Work.TEMPLATE;
        } finally {
            giveBack();
        }
    }

    @Override
    public Object failureThenRead() {
        return failureThenStatic() == Work.TEMPLATE ? Work.copy() : Work.ANSWER;
    }

    @Override
    public Object openThenStatic() {
        if (openUntilNanos - System.nanoTime() > 0) {
            refused.increment();
            return Work.TEMPLATE;
        }
        return success();
    }

    @Override
    public Object successOnPool() throws Exception {
        return pool.submit(Work.ANSWERS).get(Work.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
