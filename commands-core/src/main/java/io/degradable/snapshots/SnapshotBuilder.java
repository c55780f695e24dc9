package io.degradable.snapshots;

import io.degradable.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * Builds the versions of a snapshot out of a source. A version appears in its directory whole, by one rename, or not at all:
 * whatever fails, and whenever the process is killed, the version before stays. What a killed one left behind, the next one
 * removes.
 *
 * <p>Threading: {@link #build} runs on the thread that calls it. One at a time may build, in all processes that share the
 * directory; another one is refused.
 *
 * @param <S> an item of the source
 * @param <K> the key
 * @param <T> the record
 */
public final class SnapshotBuilder<S, K, T> {

    private final SnapshotSpec<K, T> spec;
    private final PageSource<S> source;
    private final Function<? super S, ? extends K> key;
    private final Function<? super S, ? extends T> core;
    private final BuildSettings settings;
    private final Consumer<? super BuildProgress> progress;
    private final Ticker ticker;
    private final Disk disk;
    private final KeyHash hash;
    private final LongAdder mistakes = new LongAdder();

    private SnapshotBuilder(
            SnapshotSpec<K, T> spec,
            PageSource<S> source,
            Function<? super S, ? extends K> key,
            Function<? super S, ? extends T> core,
            BuildSettings settings,
            Consumer<? super BuildProgress> progress,
            Ticker ticker,
            Disk disk,
            KeyHash hash) {
        this.spec = spec;
        this.source = source;
        this.key = key;
        this.core = core;
        this.settings = Objects.requireNonNull(settings, "settings must not be null");
        this.progress = Objects.requireNonNull(progress, "progress must not be null");
        this.ticker = Objects.requireNonNull(ticker, "ticker must not be null");
        this.disk = disk;
        this.hash = hash;
    }

    /**
     * A builder with the default settings.
     *
     * @param spec what is built
     * @param source where the items come from
     * @param key the key of an item, never null
     * @param core the few fields of an item that are worth keeping, never null
     */
    public static <S, K, T> SnapshotBuilder<S, K, T> of(
            SnapshotSpec<K, T> spec,
            PageSource<S> source,
            Function<? super S, ? extends K> key,
            Function<? super S, ? extends T> core) {
        Objects.requireNonNull(spec, "spec must not be null");
        Objects.requireNonNull(source, "source must not be null");
        Objects.requireNonNull(key, "key must not be null");
        Objects.requireNonNull(core, "core must not be null");
        return new SnapshotBuilder<>(
                spec,
                source,
                key,
                core,
                BuildSettings.defaults(),
                unheard -> {},
                Ticker.system(),
                new Disk(),
                KeyHash.STANDARD);
    }

    /** The same builder with other settings. */
    public SnapshotBuilder<S, K, T> with(BuildSettings other) {
        return new SnapshotBuilder<>(spec, source, key, core, other, progress, ticker, disk, hash);
    }

    /**
     * The same builder, which tells how far it is after each page, on the thread that builds. What the listener throws is
     * counted in {@link #progressMistakes} and changes nothing.
     */
    public SnapshotBuilder<S, K, T> onProgress(Consumer<? super BuildProgress> listener) {
        return new SnapshotBuilder<>(spec, source, key, core, settings, listener, ticker, disk, hash);
    }

    /** The same builder on another clock. */
    public SnapshotBuilder<S, K, T> ticker(Ticker other) {
        return new SnapshotBuilder<>(spec, source, key, core, settings, progress, other, disk, hash);
    }

    SnapshotBuilder<S, K, T> on(Disk other) {
        return new SnapshotBuilder<>(spec, source, key, core, settings, progress, ticker, other, hash);
    }

    SnapshotBuilder<S, K, T> hashedBy(KeyHash other) {
        return new SnapshotBuilder<>(spec, source, key, core, settings, progress, ticker, disk, other);
    }

    SnapshotSpec<K, T> spec() {
        return spec;
    }

    Ticker ticker() {
        return ticker;
    }

    /** How often the listener of the progress threw. */
    public long progressMistakes() {
        return mistakes.sum();
    }

    /**
     * Builds a version, and publishes it.
     *
     * @throws SnapshotException when there is none: the source or the disk failed, the result is not to be believed, or
     *     somebody else is building; the message says which, and what stays
     * @throws InterruptedException when the thread was interrupted; the version before stays
     */
    public BuiltSnapshot build() throws SnapshotException, InterruptedException {
        return build(() -> false);
    }

    /** As {@link #build()}, until somebody does not want it any more: a source may have swallowed the interrupt. */
    BuiltSnapshot build(BooleanSupplier cancelled) throws SnapshotException, InterruptedException {
        Building building = new Building(new SnapshotDirectory(spec), cancelled);
        try {
            return building.run();
        } catch (InterruptedException given) {
            throw given;
        } catch (Exception failure) {
            // A channel that was open when the interrupt came is closed, and says so in its own words.
            if (Thread.interrupted() || cancelled.getAsBoolean()) {
                throw (InterruptedException)
                        new InterruptedException(building.failed("interrupted")).initCause(failure);
            }
            if (failure instanceof SnapshotException said) {
                throw said.inside(building.failed(said.says()));
            }
            throw new SnapshotException(building.failed(building.doing + " failed: " + failure), failure);
        }
    }

    /** One run, and how far it is. */
    private final class Building {

        private final SnapshotDirectory directory;
        private final BooleanSupplier cancelled;
        private final long startNanos = ticker.nanos();
        private final long createdAt = ticker.epochNanos();
        private @Nullable Head before;
        private boolean published;
        private long pages;
        private long records;
        private String doing = "taking the lock";

        Building(SnapshotDirectory directory, BooleanSupplier cancelled) {
            this.directory = directory;
            this.cancelled = cancelled;
        }

        String failed(String why) {
            if (published && before != null) {
                return "version " + before.version() + " of snapshot " + spec.name()
                        + " is published, but its name might not survive a power cut: " + why;
            }
            return "snapshot " + spec.name() + " was not built, "
                    + (before == null ? "there is no version yet" : "version " + before.version() + " stays") + ": "
                    + why
                    + " (page " + (pages + 1) + ", after " + records + " records, in " + spec.directory() + ")";
        }

        BuiltSnapshot run() throws Exception {
            Files.createDirectories(spec.directory());
            before = directory.newest();
            try (BuildLock lock = BuildLock.tryTake(directory)) {
                if (lock == null) {
                    throw SnapshotException.busy("somebody else is building it and holds " + directory.lock());
                }
                doing = "clearing up after a killed one";
                for (SnapshotDirectory.Version leftover : directory.leftovers()) {
                    remove(leftover.file());
                }
                before = directory.newest(); // of who had the lock until now
                return written();
            }
        }

        private BuiltSnapshot written() throws Exception {
            List<SnapshotDirectory.Version> versions = directory.versions();
            long version = versions.isEmpty() ? 1 : versions.get(0).number() + 1;
            if (version > SnapshotDirectory.LAST_VERSION) {
                throw new SnapshotException(
                        "no version can follow " + versions.get(0).file() + ": remove it");
            }
            Path temporary = directory.temporary(version);
            Path file = directory.file(version);
            Head head;
            try {
                head = write(version, temporary);
                doing = "renaming " + temporary;
                disk.publish(temporary, file);
            } catch (Throwable failure) {
                remove(temporary);
                throw failure;
            }
            before = head;
            published = true;
            doing = "forcing " + spec.directory() + " to the disk";
            disk.forceDirectory(spec.directory());
            prune();
            return new BuiltSnapshot(
                    spec.name(),
                    version,
                    file,
                    Instant.ofEpochMilli(createdAt / 1_000_000),
                    head.records(),
                    head.length(),
                    Duration.ofNanos(ticker.nanos() - startNanos));
        }

        private Head write(long version, Path temporary) throws Exception {
            doing = "making " + temporary;
            try (FileWriter writer = new FileWriter(disk, temporary, hash)) {
                copy(writer);
                believe(writer.records());
                doing = "writing " + temporary;
                Head head = writer.finish(spec, version, createdAt);
                stopIfCancelled();
                return head;
            }
        }

        private void copy(FileWriter writer) throws Exception {
            Pace pace = new Pace(settings.recordsPerSecond(), ticker);
            S last = null;
            while (true) {
                stopIfCancelled();
                doing = "the source";
                List<S> page = source.page(last, settings.pageSize());
                if (page == null) {
                    throw new SnapshotException("the source returned null in the place of a page");
                }
                if (page.isEmpty()) {
                    return;
                }
                for (S item : page) {
                    add(item, writer);
                    last = item;
                }
                pages++;
                report(writer.bytes());
                doing = "keeping to the pace";
                pace.pass(page.size());
            }
        }

        private void add(S item, FileWriter writer) throws Exception {
            if (item == null) {
                throw new SnapshotException("the source returned an item that is null");
            }
            doing = "the key of " + item;
            K itemKey = notNull(key.apply(item), "the key of " + item);
            byte[] keyBytes = notNull(spec.keys().encode(itemKey), "the written key " + itemKey);
            doing = "the record of key " + itemKey;
            T value = notNull(core.apply(item), "the record of key " + itemKey);
            byte[] valueBytes = notNull(spec.values().encode(value), "the written record of key " + itemKey);
            if ((long) keyBytes.length + valueBytes.length > FileWriter.LARGEST_RECORD) {
                throw new SnapshotException("the record of key " + itemKey + " has " + valueBytes.length
                        + " bytes, with its key at most " + FileWriter.LARGEST_RECORD + " are possible");
            }
            doing = "writing";
            if (!writer.add(keyBytes, valueBytes)) {
                throw new SnapshotException("the source has the key " + itemKey + " twice");
            }
            records++;
        }

        private <V> V notNull(@Nullable V value, String what) throws SnapshotException {
            if (value == null) {
                throw new SnapshotException(what + " is null");
            }
            return value;
        }

        private void report(long bytes) {
            try {
                progress.accept(new BuildProgress(
                        spec.name(), pages, records, bytes, Duration.ofNanos(ticker.nanos() - startNanos)));
            } catch (Throwable mistake) {
                mistakes.increment();
            }
        }

        private void believe(long found) throws SnapshotException {
            if (found < settings.minimumRecords()) {
                throw new SnapshotException("it would have " + found + " records, at least " + settings.minimumRecords()
                        + " are asked for");
            }
            if (before != null) {
                if (found * 100 < before.records() * (100 - settings.maximumShrinkPercentage())) {
                    throw new SnapshotException("it would have " + found + " records, the version before has "
                            + before.records() + ", and it may lose at most " + settings.maximumShrinkPercentage()
                            + " % of them");
                }
            }
        }

        private void stopIfCancelled() throws InterruptedException {
            if (Thread.interrupted() || cancelled.getAsBoolean()) {
                throw new InterruptedException(failed("interrupted"));
            }
        }

        private void prune() {
            try {
                List<SnapshotDirectory.Version> versions = directory.versions();
                versions.stream().skip(settings.keptVersions()).forEach(old -> remove(old.file()));
            } catch (IOException notNow) {
                // the next run tries again; this one has published what it was to
            }
        }

        /** Where it cannot, because somebody has the file open or for any other reason, the next run tries again. */
        private void remove(Path file) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException notNow) {
                // see above
            }
        }
    }
}
