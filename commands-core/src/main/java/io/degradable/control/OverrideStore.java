package io.degradable.control;

import java.util.Map;
import java.util.Objects;

/**
 * Where overrides set by hand are kept so that they survive a restart and, if several processes share it, reach all of them.
 * Only human intent is kept there, never how well something does.
 *
 * <p>Entries are text by {@link Target#text()}, each with a stamp. Cleared ones stay as entries that say so, so absent never
 * means cleared, and a store that has lost everything is filled again by those who remember. Whoever made a store closes it,
 * after the container.
 *
 * <p>Threading: every method may be called from any thread; {@link #load} and {@link #save} may block.
 */
public interface OverrideStore {

    /** An entry: its stamp, in milliseconds since 1970, and a text that only its writer reads. */
    record Entry(long stamp, String text) {
        public Entry {
            Objects.requireNonNull(text, "text of an entry must not be null");
        }
    }

    /** How it is called in state and messages, as {@code redis}. */
    String name();

    /**
     * Everything that is there, by target.
     *
     * @throws Exception when that cannot be found out
     */
    Map<String, Entry> load() throws Exception;

    /**
     * Keeps entries, each unless there is one with a later stamp. Those with an equal stamp are replaced when the text is
     * greater, so that all agree. What is kept is told to those who {@link #watch}.
     *
     * @throws Exception when some may not have been kept; to save them again does no harm
     */
    void save(Map<String, Entry> entries) throws Exception;

    /**
     * Calls {@code changed} whenever what is there may have changed, by another process or since the store could not be
     * reached, on any thread. It does not block.
     *
     * @return ends that; closed with the container
     */
    AutoCloseable watch(Runnable changed);
}
