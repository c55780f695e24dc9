package io.degradable.archaius;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.netflix.archaius.config.DefaultCompositeConfig;
import com.netflix.archaius.config.PollingDynamicConfig;
import com.netflix.archaius.config.polling.FixedPollingStrategy;
import com.netflix.archaius.config.polling.ManualPollingStrategy;
import com.netflix.archaius.config.polling.PollingResponse;
import com.netflix.archaius.readers.URLConfigReader;
import io.degradable.testing.Caller;
import io.degradable.testing.Heard;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Settings from files and endpoints that Archaius polls: how changes and faults come through, and what its pollers do. */
@Timeout(60)
@SuppressWarnings("try") // what is open while the body runs needs no mention in it
final class PolledSettingsTest {

    private static final String TIMEOUT = "degradable.command.GetProduct.timeout";
    private static final Duration PATIENT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final ManualPollingStrategy poll = new ManualPollingStrategy();

    private static Map<String, String> timeout(String text) {
        return Map.of(TIMEOUT, text);
    }

    /** In a layer, as in life. */
    private static DefaultCompositeConfig layered(PollingDynamicConfig polled) throws Exception {
        DefaultCompositeConfig config = new DefaultCompositeConfig();
        config.addConfig("polled", polled);
        return config;
    }

    @Test
    void a_file_that_changes_vanishes_is_malformed_and_comes_back() throws Exception {
        Path file = Files.writeString(folder.resolve("shop.properties"), TIMEOUT + "=150 ms\n");
        PollingDynamicConfig polled =
                new PollingDynamicConfig(new URLConfigReader(file.toUri().toURL()), poll);
        poll.fire();
        ArchaiusSettings settings = ArchaiusSettings.over(layered(polled));
        Heard heard = new Heard();
        try (AutoCloseable watching = settings.watch(heard)) {
            assertThat(settings.read()).isEqualTo(timeout("150 ms"));

            Files.writeString(file, TIMEOUT + "=1 s\n");
            poll.fire();
            assertThat(settings.read()).isEqualTo(timeout("1 s"));
            assertThat(heard.changes()).isEqualTo(1);

            Files.delete(file);
            assertThatThrownBy(poll::fire).isNotNull();
            assertThat(settings.read()).isEqualTo(timeout("1 s"));
            assertThat(heard.failures()).hasSize(1).first().isInstanceOf(IOException.class);

            Files.writeString(file, TIMEOUT + "=2 s\nodd=\\u12\n");
            assertThatThrownBy(poll::fire).isNotNull();
            assertThat(settings.read()).isEqualTo(timeout("1 s"));
            assertThat(heard.failures()).hasSize(2).last().isInstanceOf(IllegalArgumentException.class);
            assertThat(heard.changes()).isEqualTo(1);

            Files.writeString(file, TIMEOUT + "=3 s\n");
            poll.fire();
            assertThat(settings.read()).isEqualTo(timeout("3 s"));
            assertThat(heard.changes()).isEqualTo(2);
        } finally {
            polled.shutdown();
        }
    }

    @Test
    void trap_a_file_read_while_it_is_written_has_no_settings_and_one_that_is_moved_into_place_always_has_them()
            throws Exception {
        Path file = Files.writeString(folder.resolve("shop.properties"), TIMEOUT + "=150 ms\n");
        PollingDynamicConfig polled =
                new PollingDynamicConfig(new URLConfigReader(file.toUri().toURL()), poll);
        poll.fire();
        ArchaiusSettings settings = ArchaiusSettings.over(polled);
        Heard heard = new Heard();
        try (AutoCloseable watching = settings.watch(heard)) {

            Files.writeString(file, ""); // as an editor or a shell leaves it for a moment
            poll.fire();
            assertThat(settings.read()).isEmpty();
            assertThat(heard.failures()).isEmpty();

            Path beside = Files.writeString(folder.resolve("shop.properties.new"), TIMEOUT + "=1 s\n");
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
            poll.fire();
            assertThat(settings.read()).isEqualTo(timeout("1 s"));
        } finally {
            polled.shutdown();
        }
    }

    @Test
    void an_endpoint_that_fails_hangs_and_comes_back_keeps_what_it_said_last() throws Exception {
        try (ConfigServer server = new ConfigServer()) {
            server.gives(TIMEOUT + "=150 ms\n");
            PollingDynamicConfig polled = new PollingDynamicConfig(
                    limited(server.url(), 300), new FixedPollingStrategy(20, TimeUnit.MILLISECONDS));
            ArchaiusSettings settings = ArchaiusSettings.over(layered(polled));
            Heard heard = new Heard();
            try (AutoCloseable watching = settings.watch(heard)) {
                assertThat(settings.read()).isEqualTo(timeout("150 ms"));

                server.fails();
                await().atMost(PATIENT).until(() -> !heard.failures().isEmpty());
                assertThat(settings.read()).isEqualTo(timeout("150 ms"));

                server.hangs();
                await().atMost(PATIENT)
                        .until(() -> heard.failures().stream().anyMatch(SocketTimeoutException.class::isInstance));
                assertThat(settings.read()).isEqualTo(timeout("150 ms"));

                int before = heard.changes();
                server.gives(TIMEOUT + "=1 s\n");
                await().atMost(PATIENT).until(() -> heard.changes() > before);
                assertThat(settings.read()).isEqualTo(timeout("1 s"));
            } finally {
                polled.shutdown();
            }
        }
    }

    /** What is in the documentation: the reader of Archaius has no limit. */
    private static Callable<PollingResponse> limited(String url, int millis) {
        return () -> {
            URLConnection connection = new URL(url).openConnection();
            connection.setConnectTimeout(millis);
            connection.setReadTimeout(millis);
            Properties properties = new Properties();
            try (Reader reader = new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
                properties.load(reader);
            }
            Map<String, String> texts = new HashMap<>();
            properties.stringPropertyNames().forEach(name -> texts.put(name, properties.getProperty(name)));
            return PollingResponse.forSnapshot(texts);
        };
    }

    @Test
    void trap_the_reader_of_archaius_has_no_limit_so_an_endpoint_that_hangs_ends_the_polling_in_silence()
            throws Exception {
        try (ConfigServer server = new ConfigServer()) {
            server.gives(TIMEOUT + "=150 ms\n");
            PollingDynamicConfig polled = new PollingDynamicConfig(
                    new URLConfigReader(server.url()), new FixedPollingStrategy(20, TimeUnit.MILLISECONDS));
            ArchaiusSettings settings = ArchaiusSettings.over(polled);
            Heard heard = new Heard();
            try (AutoCloseable watching = settings.watch(heard)) {
                server.hangs();
                int asked = server.requests();
                await().atMost(PATIENT).until(() -> server.requests() > asked);
                int stuckAt = server.requests();
                server.gives(TIMEOUT + "=1 s\n");

                await().during(Duration.ofSeconds(1)).atMost(PATIENT).until(() -> server.requests() <= stuckAt + 1);

                assertThat(settings.read()).isEqualTo(timeout("150 ms"));
                assertThat(heard.failures()).isEmpty();
            } finally {
                polled.shutdown();
            }
        }
    }

    @Test
    void trap_one_that_fails_at_the_start_holds_up_the_start_and_may_be_added_later() throws Exception {
        try (ConfigServer server = new ConfigServer()) {
            server.fails();
            DefaultCompositeConfig config = new DefaultCompositeConfig();
            ArchaiusSettings settings = ArchaiusSettings.over(config);
            Heard heard = new Heard();
            try (AutoCloseable watching = settings.watch(heard)) {

                Caller<PollingDynamicConfig> start = Caller.calls(() -> {
                    PollingDynamicConfig polled = new PollingDynamicConfig(
                            limited(server.url(), 300), new FixedPollingStrategy(20, TimeUnit.MILLISECONDS));
                    config.addConfig("remote", polled);
                    return polled;
                });
                await().atMost(PATIENT).until(() -> server.requests() > 5);
                assertThat(start.isDone()).isFalse();
                assertThat(settings.read()).isEmpty();
                assertThat(heard.failures()).isEmpty(); // it is not there yet, so nobody hears of it

                server.gives(TIMEOUT + "=1 s\n");

                PollingDynamicConfig polled = start.result();
                assertThat(settings.read()).isEqualTo(timeout("1 s"));
                assertThat(heard.changes()).isPositive();
                polled.shutdown();
            }
        }
    }
}
