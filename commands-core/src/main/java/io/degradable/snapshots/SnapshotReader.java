package io.degradable.snapshots;

import io.degradable.cache.TimedCache;
import io.degradable.cache.Timestamped;
import io.degradable.template.StaticSnapshot;
import io.degradable.time.Spans;
import io.degradable.time.Ticker;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * Reads a snapshot: the newest version in its directory that is whole. A newer one takes its place while it is running; one
 * that is broken, of another kind or from the future is refused, and what is in service stays. It never goes back to an older
 * version, nor is it left without one when files are deleted.
 *
 * <p>A version is checked as a whole, byte by byte, before it is taken, and mapped into memory outside the heap; its file is
 * closed by then. What is no longer in service is unmapped by the JVM after the last lookup in it has ended, when a garbage
 * collection finds that out, so no lookup can come too late.
 *
 * <p>Threading: every method may be called from any thread. Files are opened and checked by who calls {@link #open} and
 * {@link #checkNow}, and else by a thread of its own, {@code degradable-snapshot-<name>}.
 *
 * @param <K> the key
 * @param <T> the record
 */
public final class SnapshotReader<K, T> implements StaticSnapshot<K, T>, AutoCloseable {

    private static final long CLOSE_GRACE_NANOS = 1_000_000_000L;

    private final SnapshotSpec<K, T> spec;
    private final ReaderSettings settings;
    private final Ticker ticker;
    private final SnapshotDirectory directory;
    private final SnapshotFile.Opening opening;
    private final Teller teller;
    private final LongAdder broken = new LongAdder();

    /** Held while files are looked at; nothing of a user's runs under it. */
    private final ReentrantLock checking = new ReentrantLock();

    // Guarded by checking.
    private final Map<Path, Refusal> refusals = new HashMap<>();

    // Written under checking, or by the close.
    private volatile @Nullable SnapshotFile<K, T> current;
    private final LongAdder taken = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private volatile @Nullable String lastRefusal;

    private volatile boolean closed;
    private volatile @Nullable Worker worker;

    /** A file that was not taken: as long as it is the same, it is not told again, and not looked at again if that is for good. */
    private record Refusal(long size, FileTime modified, boolean forGood, String why) {

        boolean isOf(BasicFileAttributes file) {
            return size == file.size() && modified.equals(file.lastModifiedTime());
        }
    }

    private SnapshotReader(
            SnapshotSpec<K, T> spec,
            ReaderSettings settings,
            Ticker ticker,
            SnapshotListener listener,
            SnapshotFile.Opening opening) {
        this.spec = Objects.requireNonNull(spec, "spec must not be null");
        this.settings = Objects.requireNonNull(settings, "settings must not be null");
        this.ticker = Objects.requireNonNull(ticker, "ticker must not be null");
        this.directory = new SnapshotDirectory(spec);
        this.opening = opening;
        this.teller = new Teller(
                "degradable-snapshot-" + spec.name() + "-events",
                Objects.requireNonNull(listener, "listener must not be null"));
    }

    /** As the other one, with the default settings and nobody to tell. */
    public static <K, T> SnapshotReader<K, T> open(SnapshotSpec<K, T> spec, Ticker ticker) {
        return open(spec, ReaderSettings.defaults(), ticker, unheard -> {});
    }

    /**
     * Opens a snapshot: looks for a version at once, on the calling thread, so that it is there before it is needed. Without
     * one it starts empty, and finds nothing until there is one.
     *
     * @param spec the same as the builder's
     * @param ticker of the container whose chains read it
     * @param listener is told {@link SnapshotEvent.Taken} and {@link SnapshotEvent.Refused}
     */
    public static <K, T> SnapshotReader<K, T> open(
            SnapshotSpec<K, T> spec, ReaderSettings settings, Ticker ticker, SnapshotListener listener) {
        return open(spec, settings, ticker, listener, SnapshotFile.Opening.standard());
    }

    static <K, T> SnapshotReader<K, T> open(
            SnapshotSpec<K, T> spec,
            ReaderSettings settings,
            Ticker ticker,
            SnapshotListener listener,
            SnapshotFile.Opening opening) {
        SnapshotReader<K, T> reader = new SnapshotReader<>(spec, settings, ticker, listener, opening);
        long nowNanos = ticker.nanos();
        reader.checkNow();
        reader.worker = Worker.start("degradable-snapshot-" + spec.name(), () -> reader.watch(nowNanos));
        return reader;
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    @Nullable
    public Found<T> find(K key) throws Exception {
        SnapshotFile<K, T> file = current;
        if (file == null) {
            mustBeOpen();
            return null;
        }
        try {
            T value = file.find(key);
            return value == null ? null : new Found<>(value, age(file));
        } catch (SnapshotException mistake) {
            broken.increment();
            throw mistake;
        } catch (InternalError late) { // where a page is missing, compiled code says so somewhat later
            broken.increment();
            throw file.broken(late);
        }
    }

    @Nullable
    Object inService() {
        return current;
    }

    private long age(SnapshotFile<K, T> file) {
        return ticker.nanos() - file.stampNanos();
    }

    private void mustBeOpen() {
        if (closed) {
            throw new IllegalStateException("snapshot " + spec.name() + " is closed");
        }
    }

    @Override
    public View view() {
        SnapshotFile<K, T> file = current;
        if (file == null) {
            return new View(spec.name(), 0, null, -1, 0, 0, taken.sum(), refused.sum(), lastRefusal);
        }
        Head head = file.head();
        return new View(
                spec.name(),
                head.version(),
                Instant.ofEpochSecond(0, head.createdAtEpochNanos()),
                age(file),
                head.records(),
                head.length(),
                taken.sum(),
                refused.sum(),
                lastRefusal);
    }

    /** How often a record could not be read, since it was changed after it was checked or the disk failed. */
    public long brokenRecords() {
        return broken.sum();
    }

    /** How often the listener threw, or was so slow that it was not told. */
    public long listenerMistakes() {
        return teller.mistakes();
    }

    // ---- newer versions ----

    /**
     * Looks for a newer version now, and takes it when it is whole. Waits while another thread looks.
     *
     * @return whether one was taken
     */
    public boolean checkNow() {
        mustBeOpen();
        checking.lock();
        try {
            SnapshotFile<K, T> before = current;
            check();
            return current != before;
        } finally {
            checking.unlock();
        }
    }

    private void watch(long startNanos) {
        long lastNanos = startNanos;
        while (!closed) {
            long dueNanos = lastNanos + Spans.nanos(settings.checkEvery());
            if (ticker.nanos() - dueNanos < 0) {
                ticker.await(this, dueNanos);
                boolean unused = Thread.interrupted(); // or it would never wait again
            } else {
                lastNanos = ticker.nanos();
                checking.lock();
                try {
                    check();
                } finally {
                    checking.unlock();
                }
            }
        }
    }

    private void check() {
        SnapshotFile<K, T> file = current;
        long inService = file == null ? 0 : file.head().version();
        try {
            Map<Path, Refusal> still = new HashMap<>();
            for (SnapshotDirectory.Version version : directory.versions()) {
                if (version.number() <= inService || closed || taken(version, still)) {
                    break;
                }
            }
            refusals.clear();
            refusals.putAll(still);
        } catch (Throwable unreadable) {
            // The directory itself. Told once, as with a file, and tried again.
            refuse(
                    spec.directory(),
                    new Refusal(0, FileTime.fromMillis(0), false, "cannot be listed: " + unreadable),
                    refusals);
        }
    }

    /** Whether this one is in service now; else why not is in {@code still}. */
    private boolean taken(SnapshotDirectory.Version version, Map<Path, Refusal> still) {
        Path path = version.file();
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException removed) {
            return false;
        } catch (IOException unreadable) { // a link to itself, for one; those before it may be good
            String why = path + " cannot be read: " + unreadable;
            refuse(path, new Refusal(0, FileTime.fromMillis(0), false, why), still);
            return false;
        }
        Refusal before = refusals.get(path);
        if (before != null && before.forGood && before.isOf(attributes)) {
            still.put(path, before);
            return false;
        }
        String why;
        boolean forGood = false;
        try {
            long future = Head.of(path).createdAtEpochNanos() - ticker.epochNanos();
            if (future <= Spans.nanos(settings.clockSkew())) {
                take(SnapshotFile.open(spec, version, opening, ticker));
                return true;
            }
            why = path + " is from the future, by " + Duration.ofNanos(future).toMillis() + " ms";
        } catch (NoSuchFileException removed) {
            return false; // by who published a newer one
        } catch (ClosedByInterruptException given) { // as below, and the flag is set still
            return false;
        } catch (InterruptedException given) { // to the caller of open or checkNow, or by the close
            Thread.currentThread().interrupt();
            return false;
        } catch (SnapshotException unusable) {
            why = unusable.says();
            forGood = true;
        } catch (Throwable mayPass) { // no memory to map it, no file handles left, a disk that hiccups
            why = path + " cannot be read: " + mayPass;
        }
        if (!closed) {
            refuse(path, new Refusal(attributes.size(), attributes.lastModifiedTime(), forGood, why), still);
        }
        return false;
    }

    private void take(SnapshotFile<K, T> file) {
        current = file;
        if (closed) {
            current = null; // the close came between
            return;
        }
        taken.increment();
        teller.tell(new SnapshotEvent.Taken(
                spec.name(), file.head().version(), file.head().records()));
    }

    private void refuse(Path path, Refusal refusal, Map<Path, Refusal> still) {
        Refusal before = refusals.get(path);
        still.put(path, refusal);
        boolean known = before != null && before.size == refusal.size && before.modified.equals(refusal.modified);
        if (!known) {
            refused.increment();
            lastRefusal = refusal.why;
            teller.tell(new SnapshotEvent.Refused(spec.name(), path, refusal.why));
        }
    }

    // ---- filling a cache ----

    /**
     * Puts every record of the version in service into a cache, as old as it is: with the moment at which the building of the
     * snapshot began. What the cache has younger copies of, it keeps. Runs on the calling thread, at a pace that the cache
     * and what lies behind it can stand.
     *
     * @param recordsPerSecond above 0
     * @return how many copies the cache took
     * @throws InterruptedException when the thread is interrupted meanwhile; what was put stays
     * @throws Exception when a record cannot be read
     */
    public long warm(TimedCache<? super K, ? super T> cache, double recordsPerSecond) throws Exception {
        return warm(cache, record -> record, recordsPerSecond);
    }

    /**
     * As the other one, for a cache of something else.
     *
     * @param copy what the cache holds of a record; null leaves it out
     */
    public <V> long warm(TimedCache<? super K, V> cache, Function<? super T, ? extends V> copy, double recordsPerSecond)
            throws Exception {
        mustBeOpen();
        Pace pace = new Pace(recordsPerSecond, ticker);
        SnapshotFile<K, T> file = current;
        if (file == null) {
            return 0;
        }
        long[] stored = {0};
        file.forEach((key, value) -> {
            pace.pass(1);
            mustBeOpen();
            V made = copy.apply(spec.values().decode(value));
            if (made != null && cache.put(spec.keys().decode(key), new Timestamped<>(made, file.stampNanos()))) {
                stored[0]++;
            }
        });
        return stored[0];
    }

    /** Ends its thread, within a second even if the disk hangs, and lets go of the version in service. */
    @Override
    public void close() {
        closed = true;
        current = null;
        opening.unpackers().close();
        teller.close();
        Worker watching = worker;
        if (watching != null) {
            watching.interrupt();
            boolean unused = watching.awaitEnd(ticker, ticker.nanos() + CLOSE_GRACE_NANOS);
        }
    }
}
