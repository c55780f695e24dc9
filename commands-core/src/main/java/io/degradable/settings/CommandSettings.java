package io.degradable.settings;

import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * A command as data, without its functions. Two specs of one name in a container must be equal in this and in their class.
 *
 * @param key name and group
 * @param criticality what may be shed first
 * @param effect what it does to the world
 * @param guard what stands around {@code run()}
 * @param retry how often {@code run()} is tried
 * @param deadline limit of the whole run, chain included; {@link GuardSettings#NO_TIMEOUT} for none
 * @param nullIsFailure whether null from the primary is a failure instead of an answer
 * @param rehearsalPercentage how many of the calls that the primary answers also ask copies and templates, aside; 0 to 100
 * @param budget what the chain as a whole may take
 * @param stages the chain, in order
 * @param shortCut when a copy is served before the primary is asked; null for never
 */
public record CommandSettings(
        CommandKey key,
        Criticality criticality,
        Effect effect,
        GuardSettings guard,
        RetrySettings retry,
        Duration deadline,
        boolean nullIsFailure,
        double rehearsalPercentage,
        Duration budget,
        List<StageSettings> stages,
        @Nullable ShortCutSettings shortCut) {

    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);
    public static final Duration DEFAULT_BUDGET = Duration.ofMillis(250);
    public static final double DEFAULT_REHEARSAL = 1;

    public CommandSettings {
        Require.name("command name", key.name());
        Require.name("group", key.group());
        Require.positive("deadline", deadline);
        Require.that(
                rehearsalPercentage >= 0 && rehearsalPercentage <= 100,
                "rehearse must be a percentage from 0 to 100, was " + rehearsalPercentage);
        Require.positive("budget of the chain (within)", budget);
        stages = List.copyOf(stages);
        Require.that(
                shortCut == null || !effect.writes(),
                "a command that writes has no beforePrimary(...): a copy does not do the work");
        Require.that(
                effect != Effect.WRITE || retry.areOff(),
                "write() without operationId(...) allows no retry: it could do the work twice");
        Require.that(
                effect != Effect.FAIL_CLOSED || stages.isEmpty(),
                "failClosed() allows no fallback chain: no stage may turn a check that failed into a yes; it has "
                        + names(stages));
        Require.that(
                effect != Effect.WRITE
                        || stages.stream().allMatch(stage -> stage.entry().entering() == Entering.WHEN_KNOWN),
                "write() without operationId(...) allows a template only, since anything else could do the work twice or"
                        + " make up a success; it has " + names(stages));
    }

    private static String names(List<StageSettings> stages) {
        return stages.stream().map(StageSettings::name).collect(Collectors.joining(", "));
    }
}
