package io.degradable.model;

import java.io.Serializable;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * What is counted of a finished call. {@link #outcome()}, {@link #source()} and {@link #events()} are functions of it, and
 * every channel reads those, so no two of them can disagree.
 *
 * @param trigger why the primary did not answer
 * @param ending how the call ended
 * @param bodyStarted whether the primary's body had started; tells failed from rejected
 */
public record FinishedCall(Trigger trigger, Ending ending, boolean bodyStarted) implements Serializable {

    /** How a call can end, as seen from the chain. */
    public enum Ending {
        /** The primary answered. */
        PRIMARY,
        /** A spare answered. */
        SPARE,
        /** A cached copy answered. */
        CACHE,
        /** A template answered. */
        STATIC,
        /** The chain had no stage for the trigger. */
        MISSING,
        /** All stages that the trigger admits refused. */
        REJECTION,
        /** Stages were asked in vain. */
        FAILURE,
        /** The primary's failure went to the caller without asking the chain: fatal, or not to be answered by a stage. */
        THROWN,
        /** The request was wrong. */
        BAD_REQUEST,
        /** The caller went away. */
        CANCELLED;

        /** The ending when {@code source} answered. */
        public static Ending answeredBy(Source source) {
            return ANSWERED[source.ordinal()];
        }

        private static final Ending[] ANSWERED = {PRIMARY, SPARE, CACHE, STATIC};
    }

    /** The one outcome of the call. */
    public CallOutcome outcome() {
        return switch (ending) {
            case PRIMARY -> CallOutcome.NORMAL;
            case SPARE, CACHE, STATIC -> CallOutcome.DEGRADED;
            case MISSING, REJECTION, FAILURE, THROWN -> bodyStarted ? CallOutcome.FAILED : CallOutcome.REJECTED;
            case BAD_REQUEST -> CallOutcome.BAD_REQUEST;
            case CANCELLED -> CallOutcome.CANCELLED;
        };
    }

    /** Who answered; null when nobody did. */
    public @Nullable Source source() {
        return switch (ending) {
            case PRIMARY -> Source.PRIMARY;
            case SPARE -> Source.SPARE;
            case CACHE -> Source.CACHE;
            case STATIC -> Source.STATIC;
            default -> null;
        };
    }

    /**
     * The events that this call moves, each once: the trigger's, and how it ended. A call that entered the chain moves
     * exactly one {@code FALLBACK_*}, none when a bad request or a cancellation ended it; any other call moves none, and so
     * does one that was answered by a young copy: nothing has gone wrong.
     */
    public Set<EventType> events() {
        Set<EventType> events = EnumSet.noneOf(EventType.class);
        if (trigger != Trigger.NONE) {
            events.add(EventType.valueOf(trigger.name()));
        }
        EventType end =
                switch (ending) {
                    case PRIMARY -> EventType.SUCCESS;
                    case SPARE, CACHE, STATIC ->
                        trigger == Trigger.RESPONSE_FROM_CACHE ? null : EventType.FALLBACK_SUCCESS;
                    case MISSING -> EventType.FALLBACK_MISSING;
                    case REJECTION -> EventType.FALLBACK_REJECTION;
                    case FAILURE -> EventType.FALLBACK_FAILURE;
                    case THROWN -> null;
                    case BAD_REQUEST -> EventType.BAD_REQUEST;
                    case CANCELLED -> EventType.CANCELLED;
                };
        if (end != null) {
            events.add(end);
        }
        return Collections.unmodifiableSet(events);
    }
}
