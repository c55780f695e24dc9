package io.degradable.state;

import io.degradable.model.CommandKey;
import io.degradable.model.Criticality;
import io.degradable.model.EventType;
import io.degradable.settings.CommandSettings;
import io.degradable.settings.Origin;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A command as it can be looked at while it works. Every number is read when asked for, and reading changes none.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface CommandView {

    CommandKey key();

    Criticality criticality();

    /** As they hold now, whoever has said them. */
    CommandSettings settings();

    /** Each of them by its name, as {@code timeout} or {@code stage.replica.timeout}: its value, and who has said it. */
    Map<String, Origin> origins();

    /**
     * The share of its calls that its primary is asked in, in percent, as far as hands decide it: 100 most often, 0 while a
     * switch keeps calls away or the primary is out, something in between on the way back.
     */
    int primaryShare();

    /** Calls begun, since the start. */
    long received();

    /** Calls that have not ended. */
    long inFlight();

    /** The kinds of call that this command's chain can produce. */
    Set<CallKind> possibleCalls();

    /** Finished calls of a kind, since the start. */
    long calls(CallKind kind);

    /** How often an event moved, since the start. */
    long events(EventType event);

    /** How often each event moved in the last ten seconds. */
    Map<EventType, Long> recentEvents();

    /** Time spent in finished calls, in nanoseconds, since the start. */
    long elapsedNanos();

    /** Answers served from a copy, of a cache or a snapshot, since the start. */
    long servedCopies();

    /** The sum of their ages, in nanoseconds. */
    long servedAgeNanos();

    /** The primary, then the chain in order. */
    List<StageView> stages();
}
