package io.degradable.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page on configuration has the catalogue in it, word for word. */
final class ConfigurationPageTest {

    private static final String BEGIN = "<!-- settings: begin -->\n";
    private static final String END = "<!-- settings: end -->";

    @Test
    void the_page_has_the_table_of_the_catalogue() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration.md"));
        String table = page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));

        assertThat(table).isEqualTo(SettingsTable.markdown() + "\n");
    }

    @Test
    void the_table_has_every_setting_with_its_range() {
        for (Setting setting : SettingCatalogue.COMMANDS) {
            assertThat(SettingsTable.markdown()).contains("| `" + setting.name() + "` | ", setting.range());
        }
        assertThat(SettingsTable.markdown())
                .contains("| `circuitBreaker.window` | `metrics.rollingStats.timeInMilliseconds` | 10 s | ")
                .contains("| fixed |\n");
    }
}
