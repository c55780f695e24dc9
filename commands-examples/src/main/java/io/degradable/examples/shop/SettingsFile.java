package io.degradable.examples.shop;

import com.netflix.archaius.config.PollingDynamicConfig;
import com.netflix.archaius.config.polling.FixedPollingStrategy;
import com.netflix.archaius.readers.URLConfigReader;
import io.degradable.archaius.ArchaiusSettings;
import io.degradable.settings.SettingSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A file of properties that the shop is told to look at, every second; read by Archaius. Closed after the shop. */
final class SettingsFile implements AutoCloseable {

    private static final int SECONDS = 1;

    private final PollingDynamicConfig config;

    private SettingsFile(PollingDynamicConfig config) {
        this.config = config;
    }

    /**
     * A file, read for the first time.
     *
     * @throws UnusableException when it cannot be read now. Later on what was read last stands
     */
    static SettingsFile at(Path file) throws UnusableException {
        if (!Files.exists(file)) {
            throw new UnusableException(
                    "there is no file " + file + " for --settings; an empty one will do, or leave it out");
        }
        if (!Files.isRegularFile(file)) { // of a folder Archaius would read the names of what is in it
            throw new UnusableException(file + ", for --settings, is no file");
        }
        try {
            URLConfigReader reader = new URLConfigReader(file.toUri().toURL());
            var unused = reader.call(); // the first poll would be tried again for ever, and nothing said
            return new SettingsFile(
                    new PollingDynamicConfig(reader, new FixedPollingStrategy(SECONDS, TimeUnit.SECONDS)));
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new UnusableException(file + ", for --settings, cannot be read: " + unreadable.getMessage());
        }
    }

    SettingSource source() {
        return ArchaiusSettings.over(config);
    }

    @Override
    public void close() {
        config.shutdown();
    }
}
