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
 */
public record FallbackContext(
        CommandKey key, Trigger trigger, Throwable cause, Duration elapsed, Level level, long callId) {}
