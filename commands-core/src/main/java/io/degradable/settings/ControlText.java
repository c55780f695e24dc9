package io.degradable.settings;

/**
 * What configuration holds somewhere: no setting, but what a hand could do, too.
 *
 * @param kind what is held: {@code command}, {@code group} and {@code all} are switches, {@code stage} and {@code circuit}
 *     belong to a command
 * @param name the command's or the group's; empty for everything
 * @param stage the stage's, {@code primary} for the command's own; empty for switches
 * @param text where: {@code 0}, {@code 1}, {@code 2}; {@code out}; {@code open}, {@code closed}
 * @param property who says so
 * @param source where that was found, by {@link SettingSource#name()}
 */
public record ControlText(String kind, String name, String stage, String text, String property, String source) {}
