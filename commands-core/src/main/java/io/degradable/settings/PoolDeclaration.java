package io.degradable.settings;

import java.util.Set;
import java.util.TreeSet;

/**
 * A thread pool as code has it.
 *
 * @param settings what the code made of it, defaults included
 * @param said which of {@code size}, {@code queue}, {@code queueTimeout} and {@code callerRuns} the code has set
 */
public record PoolDeclaration(BulkheadSettings.ThreadPool settings, Set<String> said) {

    public PoolDeclaration {
        said = Set.copyOf(said);
    }

    static PoolDeclaration of(BulkheadSettings.ThreadPool pool, Set<String> said, String prefix) {
        Set<String> ours = new TreeSet<>();
        for (String setting : said) {
            if (setting.startsWith(prefix)) {
                ours.add(setting.substring(prefix.length()));
            }
        }
        return new PoolDeclaration(pool, ours);
    }
}
