package io.degradable.settings;

import java.util.Map;

/**
 * Where settings come from outside of the code, as text by name: {@code degradable.command.GetProduct.timeout} is {@code 150
 * ms}. A container reads all of it when it is built and after each change, parses it itself, and keeps the last good value of
 * what cannot be parsed. Whoever made a source closes it, after the container.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface SettingSource {

    /** How it is called in state and messages, as {@code archaius}. */
    String name();

    /**
     * All that it has now, by property name; names that are none of ours do no harm.
     *
     * @throws Exception when it cannot be read; what was read before stands then
     */
    Map<String, String> read() throws Exception;

    /**
     * Tells a watcher of changes from now on, on any thread.
     *
     * @return ends that; closed with the container
     */
    AutoCloseable watch(Watcher watcher);

    /** Who wants to know. It neither blocks nor throws. */
    interface Watcher {

        /** Something may have changed: {@link SettingSource#read()} has it. */
        void changed();

        /** It could not be read; what was read before stands. */
        void failed(Throwable why);
    }
}
