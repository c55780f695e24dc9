package io.degradable.archaius;

import com.netflix.archaius.api.Config;
import com.netflix.archaius.api.ConfigListener;
import io.degradable.settings.SettingSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import javax.annotation.Nullable;

/**
 * Settings from a configuration of Archaius 2, whatever it is made of: files and endpoints that are polled, the environment,
 * system properties, layers of those.
 *
 * <pre>{@code
 * Commands commands = Commands.builder().settings(ArchaiusSettings.over(config)).build();
 * }</pre>
 *
 * <p>Read is the text of each property whose name begins with {@code degradable.} or {@code hystrix.}, references such as
 * <code>${timeout}</code> resolved as Archaius does it. A reference that cannot be resolved stays as it is written. Never
 * asked is a typed getter, which takes the default in place of what it cannot read. A number is its digits; of a list the
 * elements are separated by commas, as Archaius itself writes lists.
 *
 * <p>One listener for each {@link #watch}, however many commands there are and however often anybody reads. Archaius tells of
 * changes on the thread that makes or polls them. It does not tell of changes of system properties: see the documentation of
 * configuration.
 *
 * <p>Threading: immutable; every method may be called from any thread.
 */
public final class ArchaiusSettings implements SettingSource {

    private static final List<String> PREFIXES = List.of("degradable.", "hystrix.");
    private static final String LIST_DELIMITER = ",";

    private final Config config;

    private ArchaiusSettings(Config config) {
        this.config = config;
    }

    /** Over a configuration of the application, which ends its polling itself, after the container. */
    public static ArchaiusSettings over(Config config) {
        return new ArchaiusSettings(Objects.requireNonNull(config, "config must not be null"));
    }

    @Override
    public String name() {
        return "archaius";
    }

    @Override
    public Map<String, String> read() {
        Map<String, String> texts = new LinkedHashMap<>();
        config.forEachProperty((name, value) -> {
            if (value != null && isOurs(name)) { // null: it was taken away while this was looking
                texts.put(name, text(value));
            }
        });
        return texts;
    }

    private static boolean isOurs(String name) {
        return PREFIXES.stream().anyMatch(name::startsWith);
    }

    private @Nullable String resolved(String text) {
        try {
            return config.resolve(text);
        } catch (RuntimeException circular) {
            return null; // or of a kind of configuration that resolves nothing
        }
    }

    private String text(Object value) {
        if (value instanceof Iterable<?> list) {
            return StreamSupport.stream(list.spliterator(), false)
                    .map(String::valueOf)
                    .collect(Collectors.joining(LIST_DELIMITER));
        }
        String text = value.toString();
        String resolved = value instanceof String ? resolved(text) : null;
        return resolved == null ? text : resolved;
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        ConfigListener listener = new Telling(Objects.requireNonNull(watcher, "watcher must not be null"));
        config.addListener(listener);
        return () -> config.removeListener(listener);
    }

    private static final class Telling implements ConfigListener {

        private final Watcher watcher;

        Telling(Watcher watcher) {
            this.watcher = watcher;
        }

        @Override
        public void onConfigAdded(Config added) {
            watcher.changed();
        }

        @Override
        public void onConfigRemoved(Config removed) {
            watcher.changed();
        }

        @Override
        public void onConfigUpdated(Config updated) {
            watcher.changed();
        }

        @Override
        public void onError(Throwable why, Config where) {
            watcher.failed(why);
        }
    }
}
