package io.degradable.settings;

import io.degradable.time.Spans;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/** The checks of all settings: each message names the field and the value. */
public final class Require {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._/-]{1,120}");

    private Require() {}

    /** What must be said. */
    public static <T> T notNull(String field, @Nullable T value, String advice) {
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing: " + advice);
        }
        return value;
    }

    /** Refuses with {@code message} unless {@code holds}. */
    public static void that(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    /** A name that is safe in URLs, metrics, JSON and on a page. */
    public static String name(String field, @Nullable String value) {
        if (value == null || !NAME.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    field + " must be 1 to 120 characters out of letters, digits and . _ - /, was "
                            + (value == null ? "null" : "\"" + value + "\""));
        }
        return value;
    }

    public static int positive(String field, int value) {
        that(value > 0, field + " must be positive, was " + value);
        return value;
    }

    public static long positive(String field, long value) {
        that(value > 0, field + " must be positive, was " + value);
        return value;
    }

    public static int notNegative(String field, int value) {
        that(value >= 0, field + " must not be negative, was " + value);
        return value;
    }

    public static int percentage(String field, int value) {
        that(value >= 1 && value <= 100, field + " must be a percentage from 1 to 100, was " + value);
        return value;
    }

    /** A span that is longer than nothing. */
    public static Duration positive(String field, @Nullable Duration value) {
        if (value == null) {
            throw new IllegalArgumentException(field + " must be positive, was null");
        }
        that(!value.isNegative() && !value.isZero(), field + " must be positive, was " + text(value));
        return value;
    }

    /** A span as people write it: {@code 250 ms}, {@code no limit}. */
    public static String text(Duration span) {
        long nanos = Spans.nanos(span);
        if (nanos >= Spans.FOREVER) {
            return "no limit";
        }
        return nanos % 1_000_000 == 0 ? nanos / 1_000_000 + " ms" : nanos + " ns";
    }
}
