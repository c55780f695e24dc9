package io.degradable.settings;

import java.time.Duration;

/**
 * When a copy is served although the primary could be asked.
 *
 * @param cache the stage of the chain whose copies are meant
 * @param youngerThan up to which age they are
 * @param refillPerSecond how many calls a second may go on to the primary for want of such a copy; 0 for no bound
 */
public record ShortCutSettings(String cache, Duration youngerThan, double refillPerSecond) {

    public ShortCutSettings {
        Require.positive("beforePrimary", youngerThan);
        Require.that(
                refillPerSecond == 0 || (refillPerSecond >= EntrySettings.LOWEST_QUOTA && refillPerSecond <= 1e9),
                "refill must be 0, for no bound, or from 0.000001 to 1,000,000,000 per second, was " + refillPerSecond);
    }
}
