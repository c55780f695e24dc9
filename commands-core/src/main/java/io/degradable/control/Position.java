package io.degradable.control;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Where a human holds a {@link Target}. */
public enum Position {
    /** The chain as it is, whatever a less specific switch or a level says. */
    NORMAL("0"),
    /** The primary is not asked: cache, then template. */
    CACHE_ONLY("1"),
    /** The template only. */
    STATIC_ONLY("2"),
    /** The stage is not asked. */
    OUT("out"),
    /** The breaker refuses every call. */
    FORCED_OPEN("open"),
    /** The breaker lets every call through. */
    FORCED_CLOSED("closed");

    private final String text;

    Position(String text) {
        this.text = text;
    }

    /** As it is written in configuration, stores and over HTTP: 0, 1, 2 for a switch. */
    public String text() {
        return text;
    }

    /** Whether a target of a kind can be held there. */
    public boolean isFor(Target.Kind kind) {
        return switch (this) {
            case NORMAL, CACHE_ONLY, STATIC_ONLY -> kind.isSwitch();
            case OUT -> kind == Target.Kind.STAGE;
            case FORCED_OPEN, FORCED_CLOSED -> kind == Target.Kind.CIRCUIT;
        };
    }

    /**
     * Reads what {@link #text()} wrote.
     *
     * @throws IllegalArgumentException when a target of that kind cannot be held there; the message has both
     */
    public static Position parse(Target.Kind kind, String text) {
        for (Position position : values()) {
            if (position.isFor(kind) && position.text.equals(text.trim())) {
                return position;
            }
        }
        throw new IllegalArgumentException("must be one of "
                + Arrays.stream(values())
                        .filter(position -> position.isFor(kind))
                        .map(Position::text)
                        .collect(Collectors.joining(", "))
                + ", was \"" + text + "\"");
    }
}
