package io.degradable.archaius;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.archaius.Layers;
import com.netflix.archaius.api.Config;
import com.netflix.archaius.api.ConfigListener;
import com.netflix.archaius.config.DefaultCompositeConfig;
import com.netflix.archaius.config.DefaultLayeredConfig;
import com.netflix.archaius.config.DefaultSettableConfig;
import com.netflix.archaius.config.MapConfig;
import com.netflix.archaius.config.SystemConfig;
import io.degradable.testing.Heard;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is read of configurations that hold still or are set by hand: texts, layers, listeners, environment. */
@Timeout(60)
@SuppressWarnings("try") // what is open while the body runs needs no mention in it
final class ArchaiusSettingsTest {

    private static final String TIMEOUT = "degradable.command.GetProduct.timeout";

    /** Shows who listens. */
    private static final class OpenConfig extends DefaultSettableConfig {

        List<ConfigListener> listening() {
            return getListeners();
        }
    }

    @Test
    void texts_are_read_as_they_are_written_whatever_they_would_be_parsed_as() {
        Config config = MapConfig.from(Map.of(
                TIMEOUT,
                "a while",
                "hystrix.command.default.execution.timeout.enabled",
                "treu",
                "degradable.odd",
                " two\nlines, \u00e4 ",
                "degradable.empty",
                "",
                "degradables.timeout",
                "1 s",
                "server.port",
                "8080"));

        ArchaiusSettings settings = ArchaiusSettings.over(config);

        assertThat(settings.name()).isEqualTo("archaius");
        assertThat(settings.read())
                .isEqualTo(Map.of(
                        TIMEOUT,
                        "a while",
                        "hystrix.command.default.execution.timeout.enabled",
                        "treu",
                        "degradable.odd",
                        " two\nlines, \u00e4 ",
                        "degradable.empty",
                        ""));
    }

    @Test
    void references_are_resolved_as_archaius_does_it_and_left_when_it_cannot() {
        Config config = MapConfig.from(Map.of(
                "limits.slow",
                "${limits.unit}0 ms",
                "limits.unit",
                "15",
                TIMEOUT,
                "${limits.slow}",
                "degradable.defaulted",
                "${nobody:7}",
                "degradable.unknown",
                "${nobody} ms",
                "degradable.circle",
                "${degradable.square}",
                "degradable.square",
                "${degradable.circle}",
                "degradable.open",
                "${limits.slow"));

        assertThat(ArchaiusSettings.over(config).read())
                .isEqualTo(Map.of(
                        TIMEOUT,
                        "150 ms",
                        "degradable.defaulted",
                        "7",
                        "degradable.unknown",
                        "${nobody} ms",
                        "degradable.circle",
                        "${degradable.square}",
                        "degradable.square",
                        "${degradable.circle}",
                        "degradable.open",
                        "${limits.slow"));
    }

    @Test
    void what_is_no_text_becomes_its_text() {
        DefaultSettableConfig config = new DefaultSettableConfig();
        config.setProperty("degradable.whole", 150);
        config.setProperty("degradable.part", 0.5);
        config.setProperty("degradable.yes", true);
        config.setProperty("degradable.list", List.of("a", 2, "c d"));
        config.setProperty("degradable.one", List.of("a"));
        config.setProperty("degradable.none", List.of());

        assertThat(ArchaiusSettings.over(config).read())
                .isEqualTo(Map.of(
                        "degradable.whole", "150",
                        "degradable.part", "0.5",
                        "degradable.yes", "true",
                        "degradable.list", "a,2,c d",
                        "degradable.one", "a",
                        "degradable.none", ""));
    }

    @Test
    void an_upper_layer_hides_the_lower_one_and_gives_it_free_again() throws Exception {
        DefaultCompositeConfig config = new DefaultCompositeConfig();
        DefaultSettableConfig byHand = new DefaultSettableConfig();
        DefaultSettableConfig file = new DefaultSettableConfig();
        file.setProperty(TIMEOUT, "150 ms");
        config.addConfig("by hand", byHand);
        config.addConfig("file", file);
        ArchaiusSettings settings = ArchaiusSettings.over(config);
        Heard heard = new Heard();
        try (AutoCloseable watching = settings.watch(heard)) {

            byHand.setProperty(TIMEOUT, "1 s");
            assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "1 s"));
            assertThat(heard.changes()).isEqualTo(1);

            file.setProperty(TIMEOUT, "200 ms"); // under cover
            assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "1 s"));

            byHand.clearProperty(TIMEOUT);
            assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "200 ms"));
            assertThat(heard.changes()).isEqualTo(3);

            config.removeConfig("file");
            assertThat(settings.read()).isEmpty();
            assertThat(heard.changes()).isEqualTo(4);

            config.addConfig("file", file);
            assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "200 ms"));
            assertThat(heard.changes()).isEqualTo(5);
        }
        file.clearProperty(TIMEOUT);
        assertThat(heard.changes()).isEqualTo(5);
        assertThat(heard.failures()).isEmpty();
    }

    @Test
    void the_layers_that_archaius_names_are_read_from_the_top_as_well() {
        DefaultLayeredConfig config = new DefaultLayeredConfig();
        DefaultSettableConfig runtime = new DefaultSettableConfig();
        config.addConfig(Layers.APPLICATION, MapConfig.from(Map.of(TIMEOUT, "150 ms")));
        config.addConfig(Layers.RUNTIME, runtime);
        ArchaiusSettings settings = ArchaiusSettings.over(config);

        runtime.setProperty(TIMEOUT, "1 s");
        assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "1 s"));
        runtime.clearProperty(TIMEOUT);

        assertThat(settings.read()).isEqualTo(Map.of(TIMEOUT, "150 ms"));
    }

    @Test
    @DisplayName("B137: one listener, whatever is read and however often, and none after closing")
    void no_listener_comes_along_with_reading() throws Exception {
        OpenConfig config = new OpenConfig();
        for (int command = 0; command < 3; command++) {
            config.setProperty("degradable.command.C" + command + ".timeout", "150 ms");
        }
        ArchaiusSettings settings = ArchaiusSettings.over(config);
        assertThat(config.listening()).isEmpty();
        AutoCloseable watching = settings.watch(new Heard());

        int read = 0;
        for (int round = 0; round < 1_000_000; round++) {
            read += settings.read().size();
        }

        assertThat(read).isEqualTo(3_000_000);
        assertThat(config.listening()).hasSize(1);
        AutoCloseable other = settings.watch(new Heard());
        watching.close();
        watching.close();
        assertThat(config.listening()).hasSize(1);
        other.close();
        assertThat(config.listening()).isEmpty();
    }

    @Test
    void a_system_property_is_read_anew_each_time_and_nobody_tells_of_its_change() throws Exception {
        String name = "degradable.test." + getClass().getSimpleName();
        ArchaiusSettings settings = ArchaiusSettings.over(SystemConfig.INSTANCE);
        Heard heard = new Heard();
        try (AutoCloseable watching = settings.watch(heard)) {
            System.setProperty(name, "1");
            assertThat(settings.read()).containsEntry(name, "1");
            System.setProperty(name, "2");

            assertThat(settings.read()).containsEntry(name, "2");
            assertThat(heard.changes()).isZero();
        } finally {
            System.clearProperty(name);
        }
        assertThat(settings.read()).doesNotContainKey(name);
    }

    @Test
    void the_environment_is_read_beneath_system_properties_and_two_of_those_limit_the_polling() throws Exception {
        try (ConfigServer server = new ConfigServer()) {
            server.hangs();
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-D" + TIMEOUT + "=1 s",
                    "-Dsun.net.client.defaultConnectTimeout=500",
                    "-Dsun.net.client.defaultReadTimeout=500",
                    EnvironmentProgram.class.getName(),
                    server.url());
            builder.environment().put(TIMEOUT, "150 ms");
            builder.environment().put("degradable.command.GetPrice.timeout", "2 ${NOT_SET:s}");
            builder.environment().put("SOMETHING", "else");
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);

            Process process = builder.start();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(printed.lines())
                    .endsWith("{degradable.command.GetPrice.timeout=2 s, " + TIMEOUT + "=1 s}", "limited");
        }
    }
}
