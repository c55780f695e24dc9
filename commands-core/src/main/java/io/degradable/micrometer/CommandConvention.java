package io.degradable.micrometer;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.model.CallId;
import io.degradable.model.Source;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * What the observation of a run is called, and what it is marked with. Extend it to change a part of that. It is asked when
 * the run begins and again when it has ended; what only the end knows is left out before.
 *
 * <p>Threading: called by many threads at once.
 */
public class CommandConvention implements ObservationConvention<CommandContext> {

    /** The name of all runs; one of them is told from the others by its command. */
    @Override
    public String getName() {
        return "degradable.command";
    }

    /** The name of the span: the command. Its group is a key value. */
    @Override
    public String getContextualName(CommandContext context) {
        return context.command().name();
    }

    /** Closed sets, so meters may have them as tags. */
    @Override
    public KeyValues getLowCardinalityKeyValues(CommandContext context) {
        KeyValues known = KeyValues.of(
                "command", context.command().name(), "group", context.command().group());
        CallEnded ended = context.ended();
        return ended == null
                ? known
                : known.and(
                        "outcome", ended.outcome().tag(),
                        "source", Source.tagOf(ended.source()),
                        "trigger", ended.trigger().tag());
    }

    /** The call id, as log, headers and exceptions have it. */
    @Override
    public KeyValues getHighCardinalityKeyValues(CommandContext context) {
        CallEnded ended = context.ended();
        return ended == null ? KeyValues.empty() : KeyValues.of("call.id", CallId.text(ended.callId()));
    }

    @Override
    public final boolean supportsContext(Observation.Context context) {
        return context instanceof CommandContext;
    }
}
