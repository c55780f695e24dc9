package io.degradable.settings;

import java.util.List;
import java.util.Map;

/**
 * The settings of a command as they hold.
 *
 * @param settings all of them, valid together
 * @param origins each by its name, in the order of the catalogue: the value, and why
 * @param faults what was wanted and could not be had
 * @param accepted what was taken, for the next time
 */
public record EffectiveSettings(
        CommandSettings settings,
        Map<String, Origin> origins,
        List<SettingFault> faults,
        Map<String, Choice> accepted) {}
