package io.degradable.internal.control;

import io.degradable.control.Position;

/**
 * Where the configuration holds a target.
 *
 * @param property the name of the property that says so
 * @param source where that comes from, as {@code archaius}
 */
public record FromConfiguration(Position position, String property, String source) {}
