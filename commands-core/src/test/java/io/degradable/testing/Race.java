package io.degradable.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
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

    /** What a side does in each of many rounds. */
    public interface Step {
        void run(int number, int round) throws Exception;
    }

    private final int sides;
    private final int patience;
    private final ExecutorService threads;

    public Race(int sides) {
        this.sides = sides;
        this.patience = sides <= Runtime.getRuntime().availableProcessors() ? 500 : 1;
        this.threads = Executors.newFixedThreadPool(sides);
    }

    /** Runs one round to its end, and returns what came of each side, in order. */
    public <T> List<T> round(Side<T> side) throws InterruptedException, ExecutionException {
        AtomicInteger arrived = new AtomicInteger();
        List<Future<T>> running = new ArrayList<>();
        for (int number = 0; number < sides; number++) {
            int own = number;
            running.add(threads.submit(() -> {
                meet(arrived, sides);
                return side.run(own);
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> one : running) {
            results.add(one.get());
        }
        return results;
    }

    /**
     * Runs many rounds without a rest: the sides go through them in step, on objects that were made before. Nobody has to
     * be woken for a round, so the sides meet within nanoseconds.
     */
    public void inStep(int rounds, Step step) throws InterruptedException, ExecutionException {
        AtomicInteger arrived = new AtomicInteger();
        round(side -> {
            for (int round = 0; round < rounds; round++) {
                meet(arrived, (round + 1) * sides);
                for (int turn = (round * 7 + side * 13) % 11; turn > 0; turn--) {
                    Thread.onSpinWait(); // so that each side is the faster one at times
                }
                step.run(side, round);
            }
            return side;
        });
    }

    /**
     * Waits until so many have arrived, awake and running. A CyclicBarrier only signals the others, and the last to come
     * would be through before they are awake.
     */
    @SuppressWarnings(
            "ThreadPriorityCheck") // who spins for long, or takes a place from another side, lets the others come
    private void meet(AtomicInteger arrived, int count) {
        arrived.incrementAndGet();
        for (int turn = 1; arrived.get() < count; turn++) {
            if (turn % patience == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
