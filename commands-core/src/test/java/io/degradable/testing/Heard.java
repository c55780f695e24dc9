package io.degradable.testing;

import io.degradable.settings.SettingSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the changes it is told of, and keeps the failures. */
public class Heard implements SettingSource.Watcher {

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

    public int changes() {
        return changes.get();
    }

    public Queue<Throwable> failures() {
        return failures;
    }
}
