package io.degradable;

import io.degradable.settings.SettingSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.annotation.Nullable;

/** A source of settings that the test fills, and breaks. */
final class TestSource implements SettingSource {

    private final String name;
    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Exception broken;

    TestSource(String name) {
        this.name = name;
    }

    TestSource with(String property, String text) {
        texts.put(property, text);
        return this;
    }

    void set(String property, String text) {
        texts.put(property, text);
        changed();
    }

    void remove(String property) {
        texts.remove(property);
        changed();
    }

    void breaks(@Nullable Exception why) {
        broken = why;
        changed();
    }

    void quietly(@Nullable Exception why) {
        broken = why;
    }

    int watchers() {
        return watchers.size();
    }

    private void changed() {
        watchers.forEach(Watcher::changed);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, String> read() throws Exception {
        Exception why = broken;
        if (why != null) {
            throw why;
        }
        return Map.copyOf(texts);
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }
}
