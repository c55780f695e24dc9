package io.degradable.settings;

/**
 * Something that is said outside of the code and not done, or not all of it. It lasts as long as it is said.
 *
 * @param property the whole name, as it was found
 * @param value the text, as it was found; empty when the property is gone and what it has set cannot go with it
 * @param source where it was found, by {@link SettingSource#name()}
 * @param subject what it is about, as {@code command GetProduct} or {@code pool catalog}; empty when that is not known
 * @param problem what is wrong, and what is allowed
 */
public record SettingFault(String property, String value, String source, String subject, String problem) {

    @Override
    public String toString() {
        return property + " = \"" + value + "\" (" + source + ")" + (subject.isEmpty() ? "" : ", " + subject) + ": "
                + problem;
    }
}
