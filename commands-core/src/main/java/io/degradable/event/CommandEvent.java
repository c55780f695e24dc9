package io.degradable.event;

import io.degradable.model.CallOutcome;
import io.degradable.model.CircuitState;
import io.degradable.model.CommandKey;
import io.degradable.model.EventType;
import io.degradable.model.Level;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.model.Trigger;
import java.time.Duration;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * What a {@link CommandListener} hears of. When a run is over it is told at once: a {@link StageEnded} for each stage in the
 * order of the chain, then the {@link CallEnded}, with nothing of another run in between. All others are told when they
 * happen.
 *
 * <p>Threading: immutable.
 */
public sealed interface CommandEvent {

    /** The command that it is about. */
    CommandKey command();

    /**
     * One stage of a run that is over. Those that were skipped are told of, too; of a primary that was tried again it is the
     * attempt that stands.
     *
     * @param command the command that was called, also of a stage that is a command itself
     * @param stage the stage's name in the chain
     * @param kind what kind of stage it is
     * @param outcome how it ended
     * @param reason why it ended so
     * @param callId the random id of the run, the same in all its events
     * @param elapsed from entering the stage to its end; zero when it was skipped
     * @param failure of a stage that failed or timed out: what its body threw, or a stackless exception of ours; else null
     */
    record StageEnded(
            CommandKey command,
            String stage,
            Source kind,
            StageOutcome outcome,
            StageReason reason,
            long callId,
            Duration elapsed,
            @Nullable Throwable failure)
            implements CommandEvent {}

    /**
     * A run that is over and counted.
     *
     * @param command the command that was called
     * @param callId the random id of the run, as its result and its exception have it
     * @param outcome how it ended
     * @param source who answered; null when nobody did
     * @param trigger why the primary did not answer
     * @param moved the events that the run has moved on every channel
     * @param elapsed from the start of the run to its end
     * @param fallbackElapsed from the end of the primary to the end of the run; zero when no other stage was reached
     * @param age of the answer: zero from primary and spare, the copy's from cache and snapshot; null for a template and
     *     without one
     * @param cause the primary's own failure: what its body threw, or a stackless exception of ours; null when it answered
     * @param level the level the application was at
     */
    record CallEnded(
            CommandKey command,
            long callId,
            CallOutcome outcome,
            @Nullable Source source,
            Trigger trigger,
            Set<EventType> moved,
            Duration elapsed,
            Duration fallbackElapsed,
            @Nullable Duration age,
            @Nullable Throwable cause,
            Level level)
            implements CommandEvent {}

    /**
     * A breaker has moved. The steps of a ramp are moves from {@code RAMPING} to {@code RAMPING}. An open time that is over
     * moves it only once somebody calls.
     *
     * @param command whose breaker it is; of a spare command its own, whoever called it
     * @param stage the name of the stage, {@code primary} for the command's own breaker
     * @param from what it did with calls before
     * @param to what it does with them now
     * @param why the reason with its figures, as the breaker explains it
     * @param byHand whether somebody held or released it; else it was measured
     */
    record CircuitChanged(
            CommandKey command, String stage, CircuitState from, CircuitState to, String why, boolean byHand)
            implements CommandEvent {}

    /**
     * A failure stands that would have been tried again, had the command's budget for retries not been used up. Told when it
     * happens, and not again within a second.
     *
     * @param command whose budget it is
     * @param overBudget how many retries the budget has not allowed since the start
     */
    record RetryBudgetExhausted(CommandKey command, long overBudget) implements CommandEvent {}

    /**
     * A template has a new version.
     *
     * @param command by which the template became known; others may use it, too
     * @param template its name
     * @param from the version that was current before
     * @param to the version that is now
     * @param loadedFrom where that was found, {@code code} when it was made there
     */
    record TemplateSwapped(CommandKey command, String template, String from, String to, String loadedFrom)
            implements CommandEvent {}

    /**
     * A new version of a template was refused.
     *
     * @param command by which the template became known; others may use it, too
     * @param template its name
     * @param version the version that stays
     * @param why what is wrong with the new one
     */
    record TemplateRefused(CommandKey command, String template, String version, String why) implements CommandEvent {}
}
