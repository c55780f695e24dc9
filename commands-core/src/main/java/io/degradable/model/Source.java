package io.degradable.model;

import java.util.Locale;
import javax.annotation.Nullable;

/** Who gave the answer. */
public enum Source {
    /** The command's own {@code run()}. */
    PRIMARY,
    /** A second way to a live answer. */
    SPARE,
    /** A copy of an earlier answer of the primary, within its freshness window. */
    CACHE,
    /** A template: typed, in memory, always there. */
    STATIC;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The word for tags and headers: lower case. */
    public String tag() {
        return tag;
    }

    /** As {@code source.tag()}, and {@code none} when nobody answered. */
    public static String tagOf(@Nullable Source source) {
        return source == null ? "none" : source.tag;
    }
}
