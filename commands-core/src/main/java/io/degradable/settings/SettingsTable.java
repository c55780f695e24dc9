package io.degradable.settings;

import java.util.List;

/** The catalogue as a table in Markdown, for the documentation. */
public final class SettingsTable {

    private SettingsTable() {}

    /** All of it, in three tables with a heading each. */
    public static String markdown() {
        StringBuilder page = new StringBuilder();
        table(page, "`degradable.command.<name>.`", SettingCatalogue.COMMANDS);
        table(page, "`degradable.command.<name>.stage.<stage>.`", SettingCatalogue.STAGES);
        table(page, "`degradable.pool.<name>.`", SettingCatalogue.POOLS);
        return page.toString();
    }

    private static void table(StringBuilder page, String prefix, List<Setting> settings) {
        page.append("\n| ").append(prefix).append(" | Hystrix | default | what is allowed | while it runs |\n");
        page.append("|---|---|---|---|---|\n");
        for (Setting setting : settings) {
            page.append("| `").append(setting.name()).append("` | ");
            page.append(String.join(
                    ", ",
                    setting.hystrixNames().stream()
                            .map(name -> "`" + name + "`")
                            .toList()));
            page.append(" | ").append(setting.byDefault());
            page.append(" | ").append(setting.range());
            page.append(" | ").append(setting.isLive() ? "live" : "fixed").append(" |\n");
        }
    }
}
