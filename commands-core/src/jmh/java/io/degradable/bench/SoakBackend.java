package io.degradable.bench;

import io.degradable.model.BadRequestException;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What the commands of the soak ask: it is well, fails, is late, hangs, recovers, over and over. A round takes 13 s, so samples
 * every ten seconds see all of it.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class SoakBackend {

    private enum Phase {
        HEALTHY(4),
        HALF_FAILS(2),
        LATE_PEAKS(2),
        HANGS(2),
        RECOVERED(3);

        private final long nanos;

        Phase(int seconds) {
            nanos = TimeUnit.SECONDS.toNanos(seconds);
        }
    }

    private static final Phase[] PHASES = Phase.values();

    private final long timeoutNanos;
    private final long startNanos = System.nanoTime();
    private volatile boolean released;

    SoakBackend(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * Answers, or not.
     *
     * @param patienceNanos how long the one who asks puts up with a backend that hangs
     */
    String ask(long patienceNanos) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(500) == 0) {
            throw new BadRequestException("there is no such thing");
        }
        switch (phase()) {
            case HALF_FAILS -> {
                if (random.nextBoolean()) {
                    throw new IOException("the backend fails");
                }
            }
            case LATE_PEAKS -> {
                if (random.nextInt(4) == 0) {
                    takeTime(timeoutNanos + random.nextLong(timeoutNanos), false);
                }
            }
            case HANGS -> hang(patienceNanos, random.nextInt(8) == 0);
            default -> {
                if (random.nextInt(50) == 0) {
                    takeTime(timeoutNanos / 20, false);
                }
            }
        }
        return "answer " + random.nextInt(1_000);
    }

    /** Ends whatever hangs, and is well from now on. */
    void release() {
        released = true;
    }

    private void hang(long patienceNanos, boolean deaf) throws InterruptedException, IOException {
        long start = System.nanoTime();
        while (phase() == Phase.HANGS && System.nanoTime() - start < patienceNanos) {
            takeTime(timeoutNanos / 4, deaf);
        }
        throw new IOException("the backend was gone");
    }

    /** As a driver that waits: an interrupt ends it, unless it is deaf to that. */
    private static void takeTime(long nanos, boolean deaf) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        boolean interrupted = false;
        for (long left = nanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                if (!deaf) {
                    throw new InterruptedException();
                }
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Phase phase() {
        if (released) {
            return Phase.HEALTHY;
        }
        long all = 0;
        for (Phase phase : PHASES) {
            all += phase.nanos;
        }
        long at = (System.nanoTime() - startNanos) % all;
        for (Phase phase : PHASES) {
            at -= phase.nanos;
            if (at < 0) {
                return phase;
            }
        }
        return Phase.HEALTHY;
    }
}
