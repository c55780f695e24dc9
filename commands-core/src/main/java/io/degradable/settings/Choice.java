package io.degradable.settings;

/**
 * What was taken for a setting: kept for the next time, when it may have to stay.
 *
 * @param value as its setting reads it; not looked at when it is {@link Origin.From#BUILT_IN} and follows others
 * @param from who has said it
 * @param property the property that has; empty when none has
 * @param source where that was found; empty when none has
 */
public record Choice(Object value, Origin.From from, String property, String source) {

    boolean isUnset() {
        return from == Origin.From.BUILT_IN;
    }
}
