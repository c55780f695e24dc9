package io.degradable.state;

import io.degradable.settings.Origin;
import io.degradable.settings.SettingFault;
import io.degradable.settings.SettingTexts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What comes from outside of the code, and what of it could not be done.
 *
 * @param sources where it comes from, the one with precedence first
 * @param faults what is said there and not done, or not all of it, by property
 * @param outdone what is said there and does nothing, since another source or another name of the same says something else
 * @param pools the settings of each known thread pool, and who has said them
 */
public record ConfigurationView(
        List<Source> sources,
        List<SettingFault> faults,
        List<SettingTexts.Loser> outdone,
        Map<String, Map<String, Origin>> pools) {

    /**
     * A source of settings.
     *
     * @param name how it is called
     * @param properties how many of ours it had when it was last read
     * @param readAt when that was, by the wall clock; empty when it never could be
     * @param lastFault why it cannot be read, or its own poll failed; empty since that went well
     */
    public record Source(String name, int properties, Optional<Instant> readAt, String lastFault) {}

    public ConfigurationView {
        sources = List.copyOf(sources);
        faults = List.copyOf(faults);
        outdone = List.copyOf(outdone);
        pools = Map.copyOf(pools);
    }
}
