package io.degradable.settings;

import io.degradable.model.Source;
import io.degradable.model.Trigger;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * When a stage of the chain is entered.
 *
 * @param on the triggers that enter it
 * @param whileHealthy whether a timeout enters it only while it is healthy: the default of a spare, given up by naming
 *     {@link Trigger#TIMEOUT} explicitly
 * @param atMost how many runs may be in the stage at once; 0 for no bound of its own
 * @param quotaPerSecond how many runs a second it takes; 0 for no quota
 * @param allowNull whether null is an answer of this stage instead of a miss
 * @param entering what the stage makes of a write that nobody knows the end of
 */
public record EntrySettings(
        Set<Trigger> on,
        boolean whileHealthy,
        int atMost,
        double quotaPerSecond,
        boolean allowNull,
        Entering entering) {

    /** One run in twelve days: whoever wants fewer does not want the stage. */
    static final double LOWEST_QUOTA = 1e-6;

    private static final Set<Trigger> SPARE_ON = EnumSet.of(Trigger.FAILURE, Trigger.TIMEOUT);
    private static final Set<Trigger> COPY_ON = EnumSet.of(
            Trigger.FAILURE,
            Trigger.TIMEOUT,
            Trigger.THREAD_POOL_REJECTED,
            Trigger.SEMAPHORE_REJECTED,
            Trigger.SHORT_CIRCUITED,
            Trigger.OVERLOADED);

    public EntrySettings {
        on = Collections.unmodifiableSet(EnumSet.copyOf(on));
        Require.that(!on.contains(Trigger.NONE), "on must not contain NONE: a call without a trigger has no chain");
        Require.notNegative("atMost", atMost);
        Require.that(
                quotaPerSecond == 0 || (quotaPerSecond >= LOWEST_QUOTA && quotaPerSecond <= 1e9),
                "quota must be 0, for none, or from 0.000001 to 1,000,000,000 per second, was " + quotaPerSecond);
    }

    /** Settings of a stage of a command that does not write. */
    public EntrySettings(Set<Trigger> on, boolean whileHealthy, int atMost, double quotaPerSecond, boolean allowNull) {
        this(on, whileHealthy, atMost, quotaPerSecond, allowNull, Entering.ALWAYS);
    }

    /** The same, for a stage that makes something of a write that nobody knows the end of. */
    public EntrySettings entering(Entering when) {
        return new EntrySettings(on, whileHealthy, atMost, quotaPerSecond, allowNull, when);
    }

    /**
     * A spare is entered when the primary failed or timed out; it would only add load to a call that was refused. Copies
     * (cache, template) are entered for every trigger.
     */
    public static EntrySettings byDefault(Source kind) {
        boolean spare = kind == Source.SPARE;
        return new EntrySettings(spare ? SPARE_ON : COPY_ON, spare, 0, 0, false, Entering.ALWAYS);
    }
}
