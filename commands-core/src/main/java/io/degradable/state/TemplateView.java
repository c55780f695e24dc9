package io.degradable.state;

import java.time.Instant;

/**
 * A template at one moment.
 *
 * @param name the template
 * @param version what its current version is called
 * @param since when that became current, by the wall clock
 * @param loadedFrom where it was found; {@code code} when it was made there
 * @param swaps how often a newer version was taken
 * @param refused how often one was refused
 */
public record TemplateView(String name, String version, Instant since, String loadedFrom, long swaps, long refused) {}
