package io.degradable.internal.execution;

import io.degradable.control.Change;
import io.degradable.internal.control.ChangeLog;
import io.degradable.settings.SettingSource;
import io.degradable.settings.SettingTexts;
import io.degradable.state.ConfigurationView;
import io.degradable.time.Ticker;
import io.degradable.time.Timer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Reads the sources of settings: when it starts, and each aside, one time after the other, whenever it says that it has
 * changed; so one that hangs holds up no other. One that cannot be read keeps what it said before, and is read again every
 * ten seconds.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Sources {

    private static final long AGAIN_NANOS = 10_000_000_000L;

    /** What changes each time that it is read is read so often in a row, and then after a pause. */
    private static final int MOST_AT_ONCE = 10;

    private static final long BUSY_NANOS = 1_000_000_000L;

    /** One source, how it was the last time, and who reads it. */
    private static final class Known implements SettingSource.Watcher {

        final SettingSource source;
        private final Sources all;
        private final AtomicInteger requests = new AtomicInteger();
        private final AtomicBoolean again = new AtomicBoolean();
        private volatile SettingTexts.Read last;
        private volatile @Nullable Instant readAt;
        private volatile String fault = "";
        private volatile @Nullable AutoCloseable watch;

        Known(SettingSource source, Sources all) {
            this.source = source;
            this.all = all;
            this.last = new SettingTexts.Read(source.name(), Map.of());
        }

        @Override
        public void changed() {
            if (!all.closed && requests.getAndIncrement() == 0) {
                readAside();
            }
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
        }

        private void readAside() {
            if (!all.aside.test(this::readAll)) {
                requests.set(0); // no thread
                readAgainLater();
            }
        }

        /** The first time, on the calling thread. */
        void start() {
            requests.incrementAndGet(); // what is told meanwhile is read afterwards
            if (readOnce()) {
                readAside();
            }
        }

        /** Reads until it has not changed meanwhile; what changes without an end is read again after a while. */
        private void readAll() {
            for (int time = 1; time <= MOST_AT_ONCE; time++) {
                boolean more = readOnce();
                all.apply();
                if (!more) {
                    return;
                }
            }
            all.at(BUSY_NANOS, this::readAside);
        }

        /** Says whether it has changed meanwhile. Then it is up to the caller to read again, and to nobody else. */
        private boolean readOnce() {
            int seen = requests.get();
            boolean good = isWatched() && isRead();
            boolean more = requests.addAndGet(-seen) != 0;
            if (!good && !more) {
                readAgainLater();
            }
            return more;
        }

        private void readAgainLater() {
            if (again.compareAndSet(false, true)) {
                all.at(AGAIN_NANOS, () -> {
                    again.set(false);
                    changed();
                });
            }
        }

        private boolean isRead() {
            try {
                last = new SettingTexts.Read(source.name(), Map.copyOf(source.read()));
                readAt = Instant.ofEpochMilli(all.ticker.epochMillis());
                fault = "";
                return true;
            } catch (Throwable unreadable) {
                fail(unreadable);
                return false;
            }
        }

        /** One that cannot be watched yet is read all the same, and watched when that can be. */
        private boolean isWatched() {
            if (watch != null || all.closed) {
                return true;
            }
            try {
                watch = source.watch(this);
                return true;
            } catch (Throwable mistake) {
                boolean unused = isRead();
                fail(mistake);
                return false;
            }
        }

        private void fail(Throwable why) {
            String before = fault;
            fault = text(why);
            if (before.isEmpty()) { // once for each outage
                all.log.add(
                        Change.Kind.REFUSED,
                        "source " + source.name(),
                        "",
                        "",
                        source.name(),
                        "cannot be read or watched, what it said before stands: " + fault);
            }
        }

        private static String text(Throwable why) {
            try {
                return why.toString();
            } catch (Throwable mistake) {
                return why.getClass().getName(); // its text is the user's code
            }
        }

        void close() {
            AutoCloseable ended = watch;
            try {
                if (ended != null) {
                    ended.close();
                }
            } catch (Throwable mistake) {
                fail(mistake);
            }
        }
    }

    private final List<Known> sources;
    private final Ticker ticker;
    private final Timer timer;
    private final Predicate<Runnable> aside;
    private final ChangeLog log;
    private final Runnable whenRead;
    private final AtomicInteger toApply = new AtomicInteger();
    private volatile boolean closed;

    /** @param whenRead told after each reading, by one thread at a time */
    Sources(
            List<SettingSource> sources,
            Ticker ticker,
            Timer timer,
            Predicate<Runnable> aside,
            ChangeLog log,
            Runnable whenRead) {
        this.ticker = ticker;
        this.timer = timer;
        this.aside = aside;
        this.log = log;
        this.whenRead = whenRead;
        this.sources = sources.stream().map(source -> new Known(source, this)).toList();
    }

    boolean areThere() {
        return !sources.isEmpty();
    }

    /** Watches them, and reads each once, here. */
    void start() {
        if (areThere()) {
            sources.forEach(Known::start);
            apply();
        }
    }

    /** What was read holds now. Of threads that have read at once, one does it for all. */
    private void apply() {
        if (toApply.getAndIncrement() == 0) {
            int seen;
            do {
                seen = toApply.get();
                if (!closed) {
                    tellRead();
                }
            } while (toApply.addAndGet(-seen) != 0);
        }
    }

    /** A mistake must not end the reading for good. */
    private void tellRead() {
        try {
            whenRead.run();
        } catch (Throwable mistake) {
            log.add(
                    Change.Kind.REFUSED,
                    "configuration",
                    "",
                    "",
                    "configuration",
                    "what was read could not be applied, what held before stands: " + Known.text(mistake));
        }
    }

    private void at(long waitNanos, Runnable task) {
        if (!closed) {
            var unused = timer.schedule(task, ticker.nanos() + waitNanos);
        }
    }

    /** What they have said last. */
    List<SettingTexts.Read> texts() {
        return sources.stream().map(source -> source.last).toList();
    }

    List<ConfigurationView.Source> views() {
        List<ConfigurationView.Source> views = new ArrayList<>();
        for (Known source : sources) {
            views.add(new ConfigurationView.Source(
                    source.source.name(),
                    source.last.texts().size(),
                    Optional.ofNullable(source.readAt),
                    source.fault));
        }
        return views;
    }

    void close() {
        closed = true;
        sources.forEach(Known::close);
    }
}
