package io.degradable.event;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.model.CommandKey;
import javax.annotation.Nullable;

/**
 * Follows each run from its first moment to its end, on the threads where it is: for traces. Given to
 * {@code Commands.builder().observe(...)}; {@code io.degradable.micrometer.CommandObservations} is one.
 *
 * <p>Who only wants to hear how runs ended takes a {@link CommandListener}, which holds up no call. This one is called on the
 * way of every call, so it must be quick. What it throws is counted ({@code commands.listenerMistakes()}) and changes no
 * call.
 *
 * <p>Threading: called by many threads at once.
 */
@FunctionalInterface
public interface RunObserver {

    /**
     * A run begins; called on the thread of the caller, before anything is asked.
     *
     * @return the run as it is to be followed; null when this one is not
     */
    @Nullable
    ObservedRun begins(CommandKey command);

    /**
     * One run that is followed. It is {@linkplain #install installed} wherever the run is: on the thread of the caller while
     * the run is driven there, around every body, every later stage and every queued listener; not around what depends on
     * its future or Rx source, which is no part of it.
     *
     * <p>Threading: installed by any thread; told of ends by one thread at a time.
     */
    interface ObservedRun extends ContextCarrier.Captured {

        /** A stage has ended: also one that was skipped, and each attempt of a primary that is tried again. */
        void stageEnded(StageEnded stage);

        /** The run is over and counted; told once, before the caller has the answer. It may still be installed somewhere. */
        void ended(CallEnded call);
    }
}
