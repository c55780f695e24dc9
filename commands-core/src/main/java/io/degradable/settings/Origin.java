package io.degradable.settings;

/**
 * A value that holds, and why.
 *
 * @param value as it could be written in a property
 * @param from who has said it
 * @param property the property that has; empty when none has
 * @param source where that was found, by {@link SettingSource#name()}; empty when none has
 */
public record Origin(String value, From from, String property, String source) {

    /** Who can say what a setting is, the strongest first. */
    public enum From {
        /** A property for this name. */
        PROPERTY,
        /** The code of the spec. */
        CODE,
        /** A property for all names. */
        DEFAULT_PROPERTY,
        /** Nobody: it follows what the others are, or is what it is. */
        BUILT_IN
    }

    /** As {@code 150 ms, PROPERTY degradable.command.GetProduct.timeout@redis}. */
    @Override
    public String toString() {
        return value + ", " + from + (property.isEmpty() ? "" : " " + property + "@" + source);
    }
}
