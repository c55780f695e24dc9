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
 * Reads the sources of settings: when it starts, and aside, one time after the other, whenever one of them says that it has
 * changed. One that cannot be read keeps what it said before, and is read again every ten seconds.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Sources {

    private static final long AGAIN_NANOS = 10_000_000_000L;

    /** What changes each time that it is read is read so often in a row, and then after a pause. */
    private static final int MOST_AT_ONCE = 10;

    private static final long BUSY_NANOS = 1_000_000_000L;

    /** One source, and how it was the last time. */
    private static final class Known implements SettingSource.Watcher {

        final SettingSource source;
        final Sources all;
        private volatile SettingTexts.Read last;
        private volatile @Nullable Instant readAt;
        private volatile String fault = "";
        private @Nullable AutoCloseable watch;

        Known(SettingSource source, Sources all) {
            this.source = source;
            this.all = all;
            this.last = new SettingTexts.Read(source.name(), Map.of());
        }

        @Override
        public void changed() {
            all.request();
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
        }

        /** Says whether it could be read. */
        boolean read() {
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
                        "cannot be read, what it said before stands: " + fault,
                        Optional.empty());
            }
        }

        private static String text(Throwable why) {
            try {
                return why.toString();
            } catch (Throwable mistake) {
                return why.getClass().getName(); // its text is the user's code
            }
        }

        void watch() {
            try {
                watch = source.watch(this);
            } catch (Throwable mistake) {
                fail(mistake);
            }
        }

        void close() {
            try {
                if (watch != null) {
                    watch.close();
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
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicBoolean again = new AtomicBoolean();
    private volatile boolean closed;

    /** @param whenRead told after each reading, on the thread that has read */
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

    /** Watches them, and reads them once, here. */
    void start() {
        requests.incrementAndGet(); // what is told meanwhile is read afterwards
        sources.forEach(Known::watch);
        if (areThere() && readOnce() && !aside.test(this::readAll)) {
            requests.set(0);
            readAgainLater();
        }
    }

    private void request() {
        if (!closed && requests.getAndIncrement() == 0 && !aside.test(this::readAll)) {
            requests.set(0); // no thread
            readAgainLater();
        }
    }

    /** Reads until nothing has changed meanwhile; who changes without an end is read again after a while. */
    private void readAll() {
        for (int time = 1; time <= MOST_AT_ONCE; time++) {
            if (!readOnce()) {
                return;
            }
        }
        readAgain(BUSY_NANOS);
    }

    /** Says whether something has changed meanwhile. Then it is up to the caller to read again, and to nobody else. */
    private boolean readOnce() {
        int seen = requests.get();
        boolean all = true;
        for (Known source : sources) {
            all &= source.read();
        }
        if (!closed) {
            tellRead();
        }
        boolean more = requests.addAndGet(-seen) != 0;
        if (!all && !more) {
            readAgainLater();
        }
        return more;
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
                    "what was read could not be applied, what held before stands: " + Known.text(mistake),
                    Optional.empty());
        }
    }

    private void readAgainLater() {
        if (again.compareAndSet(false, true)) {
            readAt(AGAIN_NANOS, () -> {
                again.set(false);
                request();
            });
        }
    }

    /** Goes on with requests that are there. */
    private void readAgain(long waitNanos) {
        readAt(waitNanos, () -> {
            if (!aside.test(this::readAll)) {
                requests.set(0);
                readAgainLater();
            }
        });
    }

    private void readAt(long waitNanos, Runnable task) {
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
