package io.degradable.model;

import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A check that fails closed, for instance of somebody's rights, could not be made: neither yes nor no, try again later. It is
 * not "forbidden", which is an answer or a {@link BadRequestException} of the command. When it leaves the {@code run()} of
 * another command, no stage of that command answers in its place.
 */
public final class TemporaryRefusalException extends CommandException {

    private static final long serialVersionUID = 1;

    /** Made by the library. */
    public TemporaryRefusalException(
            CommandKey key,
            FinishedCall call,
            List<StageReport> trail,
            long callId,
            Level level,
            @Nullable Duration retryAfter,
            Throwable cause) {
        super(key, call, trail, callId, level, false, retryAfter, cause);
    }

    /** The first refusal of this kind among a failure and its causes; null when there is none. */
    public static @Nullable TemporaryRefusalException in(Throwable failure) {
        Throwable one = failure;
        for (int depth = 0; one != null && depth < 32; depth++) { // a chain of causes may have a loop
            if (one instanceof TemporaryRefusalException refusal) {
                return refusal;
            }
            one = one.getCause();
        }
        return null;
    }
}
