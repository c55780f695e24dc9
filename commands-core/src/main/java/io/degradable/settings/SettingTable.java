package io.degradable.settings;

import java.util.Collection;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** What is said of one name, read: by our names, and by those of Hystrix. */
final class SettingTable {

    static final SettingTable EMPTY = new SettingTable();

    /**
     * A text that could be read.
     *
     * @param parsed what it says
     * @param property its whole name
     * @param source where it was found
     * @param text as it was found
     */
    record Value(Object parsed, String property, String source, String text) {

        Choice as(Origin.From from) {
            return new Choice(parsed, from, property, source);
        }

        boolean is(boolean truth) {
            return parsed.equals(truth);
        }

        Value meaning(Object other) {
            return new Value(other, property, source, text);
        }
    }

    private final TreeMap<String, Value> ours = new TreeMap<>();
    private final TreeMap<String, Value> hystrix = new TreeMap<>();

    void put(boolean hystrixName, String name, Value value) {
        (hystrixName ? hystrix : ours).put(name, value);
    }

    /** By either name, the degradable one first. */
    @Nullable
    Value get(String setting) {
        Value said = ours.get(setting);
        return said == null ? hystrix.get(setting) : said;
    }

    @Nullable
    Value ours(String setting) {
        return ours.get(setting);
    }

    /** A part that a setting is made up of, by the name that Hystrix has for it. */
    @Nullable
    Value part(String name) {
        return hystrix.get(name);
    }

    /** Tells what our names outdo. */
    void outdone(Consumer<SettingTexts.Loser> losers) {
        hystrix.forEach((kept, value) -> {
            Value winner = ours.get(HystrixNames.settingOf(kept));
            if (winner != null) {
                losers.accept(
                        new SettingTexts.Loser(value.property(), value.text(), value.source(), winner.property()));
            }
        });
    }

    /** What is said by our names, and by those of Hystrix which are other names for a setting or a part. */
    Collection<String> names() {
        TreeMap<String, Value> all = new TreeMap<>(hystrix);
        all.putAll(ours);
        return all.keySet();
    }
}
