package io.degradable.control;

import io.degradable.settings.Require;
import java.util.Locale;

/**
 * What a human lays his hand on: the switch of a command, of a group or of everything; a stage, to take it out for
 * maintenance; the breaker of a stage, to force it. Its {@link #text()} is unique and can be read back.
 *
 * @param kind what it is
 * @param name the command's or the group's; empty for everything
 * @param stage the stage's; empty for switches
 */
public record Target(Kind kind, String name, String stage) {

    /** The kinds of target. */
    public enum Kind {
        /** The switch of a command. */
        COMMAND,
        /** The switch of a group. */
        GROUP,
        /** The switch of everything. */
        ALL,
        /** A stage of a command. */
        STAGE,
        /** The breaker of a stage of a command. */
        CIRCUIT;

        private final String word = name().toLowerCase(Locale.ROOT);

        String word() {
            return word;
        }

        /** Whether it is a switch: the others act on one stage. */
        public boolean isSwitch() {
            return this == COMMAND || this == GROUP || this == ALL;
        }
    }

    /** The name that a command's own stage has. */
    public static final String PRIMARY = "primary";

    public Target {
        if (kind == Kind.ALL) {
            Require.that(name.isEmpty(), "the switch of everything has no name, was \"" + name + "\"");
        } else {
            Require.name(kind == Kind.GROUP ? "group" : "command", name);
        }
        if (kind.isSwitch()) {
            Require.that(stage.isEmpty(), "a switch is of no stage, was \"" + stage + "\"");
        } else {
            Require.name("stage", stage);
        }
    }

    /** The switch of a command. */
    public static Target command(String name) {
        return new Target(Kind.COMMAND, name, "");
    }

    /** The switch of a group. */
    public static Target group(String name) {
        return new Target(Kind.GROUP, name, "");
    }

    /** The switch of everything. */
    public static Target all() {
        return new Target(Kind.ALL, "", "");
    }

    /** A stage of a command; {@link #PRIMARY} is the command's own. */
    public static Target stage(String command, String stage) {
        return new Target(Kind.STAGE, command, stage);
    }

    /** The breaker of a stage of a command. */
    public static Target circuit(String command, String stage) {
        return new Target(Kind.CIRCUIT, command, stage);
    }

    /** As {@code command:GetProduct}, {@code group:catalog}, {@code all}, {@code stage:GetProduct:spare}. */
    public String text() {
        return kind == Kind.ALL ? kind.word() : kind.word() + ":" + name + (stage.isEmpty() ? "" : ":" + stage);
    }

    /**
     * Reads what {@link #text()} wrote.
     *
     * @throws IllegalArgumentException when it is nothing of the kind; the message has the text
     */
    public static Target parse(String text) {
        String[] parts = text.split(":", -1);
        for (Kind kind : Kind.values()) {
            int wanted = kind == Kind.ALL ? 1 : kind.isSwitch() ? 2 : 3;
            if (kind.word().equals(parts[0]) && parts.length == wanted) {
                return new Target(kind, wanted > 1 ? parts[1] : "", wanted > 2 ? parts[2] : "");
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no target: command:<name>, group:<name>, all,"
                + " stage:<command>:<stage> and circuit:<command>:<stage> are");
    }

    @Override
    public String toString() {
        return text();
    }
}
