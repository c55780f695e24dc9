package io.degradable.snapshots;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells a listener, in order, on a thread that is there for nothing else, and only while there is something to tell and a
 * second more.
 *
 * <p>Threading: every method may be called from any thread; none waits.
 */
final class Teller implements AutoCloseable {

    private static final int WAITING = 256;

    private final SnapshotListener listener;
    private final ThreadPoolExecutor thread;
    private final LongAdder mistakes = new LongAdder();

    Teller(String threadName, SnapshotListener listener) {
        this.listener = listener;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                work -> {
                    Thread made = new Thread(null, work, threadName, 0, false);
                    made.setDaemon(true);
                    made.setContextClassLoader(null);
                    return made;
                },
                (dropped, closedOrFull) -> mistakes.increment());
        thread.allowCoreThreadTimeOut(true);
    }

    void tell(SnapshotEvent event) {
        try {
            thread.execute(() -> {
                try {
                    listener.onEvent(event);
                } catch (Throwable mistake) {
                    mistakes.increment();
                }
            });
        } catch (Throwable noThread) { // to be had now: whoever tells goes on all the same
            mistakes.increment();
        }
    }

    /** How often the listener threw, or was too slow to be told. */
    long mistakes() {
        return mistakes.sum();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
