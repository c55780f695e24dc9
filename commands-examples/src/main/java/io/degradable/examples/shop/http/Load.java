package io.degradable.examples.shop.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;

/**
 * A steady load on the shop: so many {@code GET /products/{id}} each second, whether the ones before are answered or not, as
 * customers would. What is due while twice that many are in flight is dropped and counted.
 *
 * <pre>
 *   new --start--> running --stop or close--> ended
 * </pre>
 *
 * <p>Threading: start, stop and close by one thread, counts by any. One daemon thread sends, a few others receive.
 */
public final class Load implements AutoCloseable {
    private static final int MOST_PER_SECOND = 10_000;
    private static final int IN_FLIGHT_SECONDS = 2;
    private static final int RECEIVERS = 4;
    private static final long SEED = 20_260_101;

    /** Longer than any answer of a shop that keeps its word; it only keeps a lost one from being waited for for ever. */
    private static final Duration LOST = Duration.ofSeconds(30);

    private final URI base;
    private final int perSecond;
    private final int mostInFlight;
    private final Semaphore room;
    private final ProductIds ids = new ProductIds(SEED);
    private final ScheduledExecutorService sender;
    private final ExecutorService receivers;
    private final HttpClient http;
    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final Map<String, LongAdder> bySource = new ConcurrentHashMap<>();

    /**
     * A load that has not begun.
     *
     * @param base where the shop listens
     * @param perSecond requests each second, from 0, which is none at all, to 10,000
     */
    public Load(URI base, int perSecond) {
        if (perSecond < 0 || perSecond > MOST_PER_SECOND) {
            throw new IllegalArgumentException("perSecond must be from 0 to " + MOST_PER_SECOND + ", was " + perSecond);
        }
        this.base = base;
        this.perSecond = perSecond;
        mostInFlight = IN_FLIGHT_SECONDS * perSecond;
        room = new Semaphore(mostInFlight);
        sender = Executors.newSingleThreadScheduledExecutor(daemons("load-sender"));
        receivers = Executors.newFixedThreadPool(RECEIVERS, daemons("load-receiver"));
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(receivers)
                .build();
    }

    /** Begins to send. */
    public void start() {
        if (perSecond > 0) {
            long periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
            // At a fixed rate, so that what a pause of the machine delayed is sent after it.
            var unused = sender.scheduleAtFixedRate(this::sendOne, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Sends nothing more and waits until nothing is in flight, but no longer than {@code limit}. True when nothing is: the
     * counts are final then.
     */
    public boolean stop(Duration limit) throws InterruptedException {
        sender.shutdownNow();
        return sender.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)
                && room.tryAcquire(mostInFlight, limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What was seen so far. */
    public LoadCounts counts() {
        Map<String, Long> sources = new HashMap<>();
        bySource.forEach((source, count) -> sources.put(source, count.sum()));
        return new LoadCounts(sent.sum(), dropped.sum(), errors.sum(), sources);
    }

    /** Ends at once; answers still on their way are not waited for and not counted. */
    @Override
    public void close() {
        sender.shutdownNow();
        receivers.shutdownNow();
    }

    private void sendOne() {
        if (!room.tryAcquire()) {
            dropped.increment();
            return;
        }
        sent.increment();
        HttpRequest request = HttpRequest.newBuilder(base.resolve("/products/" + ids.next()))
                .timeout(LOST)
                .build();
        try {
            var unused = http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .whenComplete(this::ended);
        } catch (RuntimeException e) { // it would end the schedule, and with it the load, without a word
            ended(null, e);
        }
    }

    private void ended(@Nullable HttpResponse<Void> response, @Nullable Throwable failure) {
        String source = response == null
                ? null
                : response.headers().firstValue("X-Data-Source").orElse(null);
        if (source == null) {
            errors.increment();
        } else {
            bySource.computeIfAbsent(source, ignored -> new LongAdder()).increment();
        }
        room.release();
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
