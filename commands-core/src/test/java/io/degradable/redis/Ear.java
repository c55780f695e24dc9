package io.degradable.redis;

import static org.awaitility.Awaitility.await;

import io.degradable.settings.SettingSource;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Hears that something changed, and counts; and knows which threads listen. */
class Ear implements SettingSource.Watcher {

    static final Duration PATIENT = Duration.ofSeconds(30);

    private final AtomicInteger changes = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @Override
    public void changed() {
        changes.incrementAndGet();
    }

    @Override
    public void failed(Throwable why) {
        failures.add(why);
    }

    int changes() {
        return changes.get();
    }

    Queue<Throwable> failures() {
        return failures;
    }

    /** Waits until it has heard more than so many. */
    void awaitMoreThan(int heard, Duration limit) {
        await().dontCatchUncaughtExceptions()
                .atMost(limit)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> changes.get() > heard);
    }

    void awaitFailure() {
        await().dontCatchUncaughtExceptions()
                .atMost(PATIENT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !failures.isEmpty());
    }

    /** The living threads of the subscriptions to a channel. */
    static Set<String> threads(String channel) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals("degradable-listen " + channel) || name.equals("degradable-ask " + channel))
                .collect(Collectors.toSet());
    }
}
