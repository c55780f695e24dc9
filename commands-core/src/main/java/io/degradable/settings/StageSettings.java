package io.degradable.settings;

import io.degradable.model.Source;
import java.time.Duration;

/**
 * One stage of a chain, as data.
 *
 * @param name its name in the chain, unique there
 * @param kind spare, cache or static
 * @param refersTo the spare command, cache or template behind it
 * @param freshness the oldest age that a cache's copy may be served at; {@link GuardSettings#NO_TIMEOUT} for other kinds
 * @param entry when it is entered
 * @param guard what stands around its body; for a spare command this is the guard of that command
 */
public record StageSettings(
        String name, Source kind, String refersTo, Duration freshness, EntrySettings entry, GuardSettings guard) {

    /** How long the store behind a cache may take unless set. */
    public static final Duration STORE_TIMEOUT = Duration.ofMillis(50);

    /** What is added to the name of a cache's stage for its store. */
    public static final String STORE = "-store";

    /** What is added to the name of a cache's stage for memory after its store. */
    public static final String AT_LAST = "-at-last";

    public StageSettings {
        Require.name("stage name", name);
        Require.positive("freshness of " + refersTo, freshness);
    }

    /** The same under another name. */
    public StageSettings named(String other) {
        return new StageSettings(other, kind, refersTo, freshness, entry, guard);
    }

    /** The same under another guard. */
    public StageSettings under(GuardSettings other) {
        return new StageSettings(name, kind, refersTo, freshness, entry, other);
    }

    /** A stage whose answers have no window of age. */
    public static StageSettings of(
            String name, Source kind, String refersTo, EntrySettings entry, GuardSettings guard) {
        return new StageSettings(name, kind, refersTo, GuardSettings.NO_TIMEOUT, entry, guard);
    }
}
