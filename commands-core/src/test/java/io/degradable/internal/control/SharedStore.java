package io.degradable.internal.control;

import io.degradable.control.OverrideStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/** A store in memory, each process with a line of its own to it, which may be cut, or hang. */
final class SharedStore {

    final Map<String, OverrideStore.Entry> entries = new TreeMap<>(); // guarded by itself
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

    int watchers() {
        return watchers.size();
    }

    void loseEverything() {
        synchronized (entries) {
            entries.clear();
        }
        watchers.forEach(Runnable::run);
    }

    void put(String key, long stamp, String text) {
        synchronized (entries) {
            entries.put(key, new OverrideStore.Entry(stamp, text));
        }
        watchers.forEach(Runnable::run);
    }

    @Nullable
    OverrideStore.Entry get(String key) {
        synchronized (entries) {
            return entries.get(key);
        }
    }

    final class Line implements OverrideStore {

        final AtomicInteger loads = new AtomicInteger();
        final AtomicInteger saves = new AtomicInteger();
        final CountDownLatch hanging = new CountDownLatch(1);
        volatile boolean down;
        volatile @Nullable CountDownLatch hangs;
        volatile @Nullable CountDownLatch hangsInSave;

        /** As if what was sent has arrived, and the answer was lost. */
        volatile boolean losesAnswers;

        private void pass(@Nullable CountDownLatch until) throws Exception {
            if (until != null) {
                hanging.countDown();
                until.await();
            }
            if (down) {
                throw new IOException("the line is cut");
            }
        }

        void repair() {
            down = false;
            losesAnswers = false;
            watchers.forEach(Runnable::run);
        }

        @Override
        public String name() {
            return "shared";
        }

        @Override
        public Map<String, Entry> load() throws Exception {
            if (loads.incrementAndGet() > 50_000) {
                throw new AssertionError("asked without an end");
            }
            pass(hangs);
            synchronized (entries) {
                return new TreeMap<>(entries);
            }
        }

        @Override
        public void save(Map<String, Entry> more) throws Exception {
            saves.incrementAndGet();
            pass(hangsInSave);
            synchronized (entries) {
                more.forEach((key, entry) ->
                        entries.merge(key, entry, (there, next) -> HandEntry.isLater(next, there) ? next : there));
            }
            watchers.forEach(Runnable::run);
            if (losesAnswers) {
                throw new IOException("no answer");
            }
        }

        @Override
        public AutoCloseable watch(Runnable changed) {
            watchers.add(changed);
            return () -> watchers.remove(changed);
        }
    }
}
