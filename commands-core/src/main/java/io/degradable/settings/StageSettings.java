package io.degradable.settings;

import io.degradable.model.Source;

/**
 * One stage of a chain, as data.
 *
 * @param name its name in the chain, unique there
 * @param kind spare, cache or static
 * @param refersTo the spare command, cache or template behind it
 * @param entry when it is entered
 * @param guard what stands around its body; for a spare command this is the guard of that command
 */
public record StageSettings(String name, Source kind, String refersTo, EntrySettings entry, GuardSettings guard) {

    public StageSettings {
        Require.name("stage name", name);
    }
}
