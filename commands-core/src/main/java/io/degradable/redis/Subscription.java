package io.degradable.redis;

import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Listens to a channel for ever, over a connection of its own, and says that something may have changed: after each message
 * and each time it has got through, since what was published meanwhile is lost.
 *
 * <pre>
 *   connecting --subscribed--> listening --message--> listening
 *       |  ^                       |
 *     fails |                 lost, or silent
 *       v  |                       |
 *      pausing &lt;-------------------'        closed, from everywhere: the thread ends
 * </pre>
 *
 * <p>A peer that vanishes without a word is found by asking it: every two seconds for the same channel again, which it
 * confirms again, and the connection is cut when three of those were due in silence. A mere read limit would cost each
 * instance a new connection, handshake and all, whenever nobody has published for that long, which is nearly always. The
 * PING of Jedis is not used: within a subscription it notes whom to give the reply only after it has sent it, so a reply that
 * is faster ends the subscription (RESP3), and it notes that for ever (RESP2, where such a reply needs no note).
 *
 * <p>Threading: callbacks come on the thread of this subscription alone, one after the other; {@link #close} may be called
 * from any thread.
 */
final class Subscription implements AutoCloseable {

    static final Duration ASK_PERIOD = Duration.ofSeconds(2);
    static final int SILENT_PERIODS = 3;

    private static final long FIRST_PAUSE_NANOS = 100_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

    private final UnifiedJedis client;
    private final String channel;
    private final Runnable heard;
    private final Consumer<Throwable> lost;
    private final Ticker ticker = Ticker.system();
    private final Timer timer;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Listening listening;

    // Touched by the thread alone.
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private boolean outage;

    /**
     * Begins at once.
     *
     * @param heard something may have changed
     * @param lost nothing is heard any more; once until it is again
     */
    Subscription(UnifiedJedis client, String channel, Runnable heard, Consumer<Throwable> lost) {
        this.client = client;
        this.channel = channel;
        this.heard = heard;
        this.lost = lost;
        this.timer = ticker.newTimer("degradable-ask " + channel);
        this.thread = new Thread(null, this::listenForEver, "degradable-listen " + channel, 0, false);
        thread.setDaemon(true);
        scheduleLook();
        thread.start();
    }

    private void listenForEver() {
        while (!closed) {
            try {
                listen();
            } catch (Throwable failed) { // nonsense on the wire makes errors, too; whatever it is, it must not end this
                tell(failed);
            }
            pause();
        }
    }

    private void listen() throws Exception {
        try (Connection connection = OwnConnection.open(client, channel)) {
            Listening now = new Listening(connection);
            listening = now;
            if (!closed) { // else nobody saw this one to cut it
                now.proceed(connection, channel);
            }
        } finally {
            listening = null;
        }
        throw new JedisConnectionException("the subscription to " + channel + " ended");
    }

    private void tell(Throwable failed) {
        if (!closed && !outage) {
            outage = true;
            try {
                lost.accept(failed);
            } catch (Throwable mistake) {
                report(mistake);
            }
        }
    }

    private void changed() {
        if (!closed) {
            try {
                heard.run();
            } catch (Throwable mistake) {
                report(mistake);
            }
        }
    }

    /** A guest that throws neither ends this nor costs the connection. */
    private void report(Throwable mistake) {
        thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
    }

    private void pause() {
        long untilNanos = ticker.nanos() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        while (!closed && untilNanos - ticker.nanos() > 0) {
            ticker.await(this, untilNanos);
        }
    }

    private void scheduleLook() {
        timer.schedule(this::look, ticker.nanos() + Spans.nanos(ASK_PERIOD));
    }

    private void look() {
        Listening now = listening;
        if (now != null) {
            now.look();
        }
        if (!closed) {
            scheduleLook();
        }
    }

    /**
     * Nothing is called back any more after what is being called now. The thread ends at once, except while it connects: then
     * when the client's own limits for that are over, since nobody can interrupt the connecting of a socket.
     */
    @Override
    public void close() {
        closed = true;
        timer.close();
        Listening now = listening;
        if (now != null) {
            now.cut();
        }
        thread.interrupt();
    }

    /** One connection, from the moment it is made. */
    private final class Listening extends JedisPubSub {

        private final Connection connection;
        private final AtomicInteger silentPeriods = new AtomicInteger();
        private volatile boolean subscribed;

        Listening(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onSubscribe(String name, int count) {
            if (subscribed) {
                lives();
                return;
            }
            silentPeriods.set(0);
            subscribed = true;
            outage = false;
            changed();
        }

        @Override
        public void onMessage(String name, String message) {
            lives();
            changed();
        }

        /** Only now: one that lets everybody in and throws them out again is asked less and less often, too. */
        private void lives() {
            silentPeriods.set(0);
            pauseNanos = FIRST_PAUSE_NANOS;
        }

        /** On the thread of the timer. */
        void look() {
            if (silentPeriods.incrementAndGet() >= SILENT_PERIODS) {
                cut();
            } else if (subscribed) {
                try {
                    subscribe(channel);
                } catch (JedisException gone) {
                    cut(); // the other thread is told why
                }
            }
        }

        /** The thread that reads comes back at once. */
        void cut() {
            try {
                connection.forceDisconnect();
            } catch (IOException failed) {
                report(failed);
            }
        }
    }
}
