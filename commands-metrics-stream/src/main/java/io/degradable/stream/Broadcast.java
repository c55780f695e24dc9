package io.degradable.stream;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one stream to everybody who reads it. Each tick is encoded once and all readers get the same bytes. Ticks happen
 * only while there is a reader; a reader that cannot keep up misses some and holds nobody up.
 *
 * <p>Threading: any thread opens and closes; the timer's thread encodes and starts the writes, and never waits for one; a
 * write ends there or on a thread of the server.
 */
final class Broadcast implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofMillis(500);

    /** More than anybody needs who does not lose track of connections; each costs a socket and its buffers. */
    static final int MOST_READERS = 64;

    /** An unknown field to every reader of server-sent events, with which Hystrix keeps connections busy. */
    static final byte[] PING = Text.utf8("ping: \n\n");

    private static final Logger LOG = LoggerFactory.getLogger(Broadcast.class);

    private final ScheduledExecutorService timer;
    private final Supplier<byte[]> tick;
    private final Set<Reader> readers = ConcurrentHashMap.newKeySet();
    private final LongAdder skipped = new LongAdder();
    private @Nullable Future<?> ticks; // guarded by this
    private boolean closed; // guarded by this

    /**
     * A stream without readers.
     *
     * @param timer whose thread ticks
     * @param tick what there is to say now; only ever called by one thread at a time
     */
    Broadcast(ScheduledExecutorService timer, Supplier<byte[]> tick) {
        this.timer = timer;
        this.tick = tick;
    }

    /** Makes a response read the stream from now on; false when there are too many that do, or the stream is over. */
    boolean open(Response response, Callback callback) {
        Reader reader = new Reader(response, callback, this::remove);
        if (!add(reader)) {
            return false;
        }
        reader.write(PING); // status and headers reach the client now, not with the next tick
        startTicks();
        return true;
    }

    private synchronized boolean add(Reader reader) {
        return !closed && readers.size() < MOST_READERS && readers.add(reader);
    }

    private synchronized void startTicks() {
        if (ticks == null && !closed && !readers.isEmpty()) {
            ticks = timer.scheduleAtFixedRate(this::tick, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void remove(Reader reader) {
        readers.remove(reader);
        if (ticks != null && readers.isEmpty()) {
            ticks.cancel(false);
            ticks = null;
        }
    }

    private void tick() {
        byte[] bytes = encode();
        for (Reader reader : readers) {
            if (!reader.write(bytes)) {
                skipped.increment();
            }
        }
    }

    private byte[] encode() {
        try {
            return tick.get();
        } catch (Throwable e) {
            // Thrown on, it would silently end all further ticks.
            LOG.error("a tick of the stream could not be encoded; readers get a ping instead", e);
            return PING;
        }
    }

    int readers() {
        return readers.size();
    }

    /** Ticks that readers missed because their last one was not written yet. */
    long skipped() {
        return skipped.sum();
    }

    /** Ends the stream for all readers; nobody can read it any more. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        readers.forEach(Reader::end);
    }
}
