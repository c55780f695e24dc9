package io.degradable.model;

import static io.degradable.model.StageOutcome.ANSWERED;
import static io.degradable.model.StageOutcome.FAILED;
import static io.degradable.model.StageOutcome.MISSED;
import static io.degradable.model.StageOutcome.REFUSED;
import static io.degradable.model.StageOutcome.SKIPPED;
import static io.degradable.model.StageOutcome.TIMED_OUT;

import java.util.Locale;

/**
 * Why one stage of a run ended as it did: a {@link StageOutcome} told apart finely enough to act on. A refusal is not a
 * failure of the dependency and a miss is not a failure of the cache, so each has reasons of its own.
 */
public enum StageReason {
    /** The stage answered. */
    ANSWER(ANSWERED, Trigger.NONE),

    /** The cache holds no copy. */
    ABSENT(MISSED, Trigger.NONE),
    /** The cache's copy is older than the freshness window. */
    TOO_OLD(MISSED, Trigger.NONE),
    /** The cache's copy claims to be younger than now. */
    FROM_THE_FUTURE(MISSED, Trigger.NONE),
    /** A stage returned null, which is no answer there. */
    NULL_ANSWER(MISSED, Trigger.NONE),

    /** The body threw, or returned null where that is a failure. */
    EXCEPTION(FAILED, Trigger.FAILURE),
    /** The body threw an Error or what the command calls fatal: no stage may hide that. */
    FATAL(FAILED, Trigger.FAILURE),
    /** The body threw what the command does not let stages answer for. */
    UNCLASSED(FAILED, Trigger.FAILURE),
    /** A check that fails closed could not be made inside the body: no stage may turn that into a yes. */
    FAILED_CLOSED(FAILED, Trigger.FAILURE),
    /** The body said that the request is wrong. */
    BAD_REQUEST(FAILED, Trigger.NONE),
    /** The body said that the dependency sheds load. */
    OVERLOADED(FAILED, Trigger.OVERLOADED),
    /** The caller went away. */
    CANCELLED(FAILED, Trigger.NONE),

    /** The stage's own time limit came first. */
    TIMEOUT(TIMED_OUT, Trigger.TIMEOUT),
    /** The deadline of the run or of the chain came first; the stage's own limit was not reached. */
    BUDGET(TIMED_OUT, Trigger.TIMEOUT),

    /** The breaker granted no permit. */
    SHORT_CIRCUITED(REFUSED, Trigger.SHORT_CIRCUITED),
    /** No thread and no place in the queue. */
    THREAD_POOL_FULL(REFUSED, Trigger.THREAD_POOL_REJECTED),
    /** As long in the pool's queue as the pool lets a call wait there. */
    QUEUE_TIMEOUT(REFUSED, Trigger.THREAD_POOL_REJECTED),
    /** No slot in the semaphore. */
    SEMAPHORE_FULL(REFUSED, Trigger.SEMAPHORE_REJECTED),
    /** As many runs as the stage lets in at once are in it already. */
    AT_MOST(REFUSED, Trigger.NONE),
    /** The stage's quota per second is used up. */
    QUOTA(REFUSED, Trigger.NONE),

    /** So many calls a second as may go on to fetch a new copy have done so. */
    REFILL(REFUSED, Trigger.OVERLOADED),

    /** A copy was young enough, so the primary was not asked. */
    YOUNG_COPY(SKIPPED, Trigger.RESPONSE_FROM_CACHE),
    /** A human's switch keeps calls from the stage. */
    SWITCHED(SKIPPED, Trigger.SWITCH),
    /** A human has taken the stage out for maintenance. */
    OUT(SKIPPED, Trigger.SWITCH),
    /** After a switch the primary gets its calls back by and by, and this one is not among them yet. */
    RAMPED(SKIPPED, Trigger.RAMP),
    /** The stage is not entered for this trigger. */
    NOT_FOR_TRIGGER(SKIPPED, Trigger.NONE),
    /** The stage is not entered for this failure. */
    NOT_FOR_FAILURE(SKIPPED, Trigger.NONE),
    /** Nobody knows what became of a write, and the stage answers only when that is known. */
    OUTCOME_UNKNOWN(SKIPPED, Trigger.NONE),
    /** The spare is not healthy enough to take over after a timeout. */
    UNHEALTHY(SKIPPED, Trigger.NONE),
    /** Nothing was left of the deadline or of the chain's budget. */
    NO_TIME_LEFT(SKIPPED, Trigger.TIMEOUT);

    private final StageOutcome outcome;
    private final Trigger trigger;
    private final String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');

    StageReason(StageOutcome outcome, Trigger trigger) {
        this.outcome = outcome;
        this.trigger = trigger;
    }

    public StageOutcome outcome() {
        return outcome;
    }

    /** The trigger of the call when the <em>primary</em> ended for this reason. */
    public Trigger trigger() {
        return trigger;
    }

    /** Whether the run is over with this reason when the primary or a spare ended so: no later stage is asked. */
    public boolean endsRun() {
        return this == FATAL || this == FAILED_CLOSED || this == BAD_REQUEST || this == CANCELLED;
    }

    /** The reason in words, for messages and logs. */
    public String text() {
        return text;
    }
}
