package io.degradable.micrometer;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.model.CommandKey;
import io.micrometer.observation.Observation;
import javax.annotation.Nullable;

/**
 * What is known of a run that is observed: for conventions, filters and predicates of observations.
 *
 * <p>Threading: as any context of Micrometer; read by any thread.
 */
public final class CommandContext extends Observation.Context {

    private final CommandKey command;
    private volatile @Nullable CallEnded ended;

    CommandContext(CommandKey command) {
        this.command = command;
    }

    public CommandKey command() {
        return command;
    }

    /** How the run ended; null as long as it has not. */
    public @Nullable CallEnded ended() {
        return ended;
    }

    void end(CallEnded call) {
        ended = call;
    }
}
