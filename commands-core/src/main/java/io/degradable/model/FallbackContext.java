package io.degradable.model;

import java.time.Duration;

/**
 * What a stage of the chain may know about the run it answers for. Nothing in it is null, whatever the trigger.
 *
 * @param key the command
 * @param trigger why the primary did not answer
 * @param cause the primary's failure; a stackless refusal or timeout of ours when its body threw nothing
 * @param elapsed from the start of the run to the start of the chain
 * @param level the level the application was at
 * @param callId the run's id, the same as in the result
 * @param outcomeUnknown whether a command that writes may have done its work all the same
 */
public record FallbackContext(
        CommandKey key,
        Trigger trigger,
        Throwable cause,
        Duration elapsed,
        Level level,
        long callId,
        boolean outcomeUnknown) {

    /** The context of a command that does not write. */
    public FallbackContext(
            CommandKey key, Trigger trigger, Throwable cause, Duration elapsed, Level level, long callId) {
        this(key, trigger, cause, elapsed, level, callId, false);
    }
}
