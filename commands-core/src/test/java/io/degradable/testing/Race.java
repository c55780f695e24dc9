package io.degradable.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Sides that start at one barrier, round after round on the same threads. */
public final class Race implements AutoCloseable {

    /** What a side does in one round. */
    public interface Side<T> {
        T run(int number) throws Exception;
    }

    private final int sides;
    private final ExecutorService threads;

    public Race(int sides) {
        this.sides = sides;
        this.threads = Executors.newFixedThreadPool(sides);
    }

    /** Runs one round to its end, and returns what came of each side, in order. */
    @SuppressWarnings("ThreadPriorityCheck") // more sides than processors: who spins must let the others come
    public <T> List<T> round(Side<T> side) throws Exception {
        AtomicInteger missing = new AtomicInteger(sides);
        List<Future<T>> running = new ArrayList<>();
        for (int number = 0; number < sides; number++) {
            int own = number;
            running.add(threads.submit(() -> {
                // Not a CyclicBarrier: that only signals the others, and the last to come is through before they wake.
                missing.decrementAndGet();
                while (missing.get() > 0) {
                    Thread.yield();
                }
                return side.run(own);
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> one : running) {
            results.add(one.get());
        }
        return results;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
