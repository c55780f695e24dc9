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
            fault = why.toString();
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
        if (areThere()) {
            readAll();
        }
    }

    private void request() {
        if (!closed && requests.getAndIncrement() == 0 && !aside.test(this::readAll)) {
            requests.set(0); // no thread
            readAgainLater();
        }
    }

    private void readAll() {
        int seen;
        do {
            seen = requests.get();
            boolean all = true;
            for (Known source : sources) {
                all &= source.read();
            }
            if (!all) {
                readAgainLater();
            }
            if (!closed) {
                tellRead();
            }
        } while (requests.addAndGet(-seen) != 0);
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
                    "what was read could not be applied, what held before stands: " + mistake,
                    Optional.empty());
        }
    }

    private void readAgainLater() {
        if (!closed && again.compareAndSet(false, true)) {
            var unused = timer.schedule(
                    () -> {
                        again.set(false);
                        request();
                    },
                    ticker.nanos() + AGAIN_NANOS);
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
