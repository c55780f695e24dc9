package io.degradable.settings;

import java.util.List;

/**
 * One setting that can be set from outside: an entry of the {@link SettingCatalogue}.
 *
 * <p>Threading: immutable.
 */
public final class Setting {

    private final String name;
    private final Form form;
    private final String byDefault;
    private final boolean live;
    private final List<String> hystrixNames;

    private Setting(String name, Form form, String byDefault, boolean live, List<String> hystrixNames) {
        this.name = name;
        this.form = form;
        this.byDefault = byDefault;
        this.live = live;
        this.hystrixNames = hystrixNames;
    }

    static Setting live(String name, Form form, String byDefault, String... hystrixNames) {
        return new Setting(name, form, byDefault, true, List.of(hystrixNames));
    }

    static Setting fixed(String name, Form form, String byDefault, String... hystrixNames) {
        return new Setting(name, form, byDefault, false, List.of(hystrixNames));
    }

    /** As {@code timeout}; of a stage without {@code stage.<stage>.}. */
    public String name() {
        return name;
    }

    /** What Hystrix calls it, or calls the properties that make it up, without prefix and key. */
    public List<String> hystrixNames() {
        return hystrixNames;
    }

    /** What it is when nobody says anything: a value, or what it follows. */
    public String byDefault() {
        return byDefault;
    }

    /** What is allowed. */
    public String range() {
        return form.range();
    }

    /** Whether a change takes effect while the command runs; otherwise when it is made the next time. */
    public boolean isLive() {
        return live;
    }

    Form form() {
        return form;
    }

    @Override
    public String toString() {
        return name;
    }
}
