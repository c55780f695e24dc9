package io.degradable.state;

import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.settings.GuardSettings;
import java.util.Optional;

/**
 * A stage as it can be looked at while it works. Chain figures belong to the chain: they count the runs of this command.
 * Guard figures belong to the guard, which a spare command shares with its direct users.
 *
 * <p>Threading: every method may be called from any thread.
 */
public interface StageView {

    /** Its name in the chain. */
    String name();

    Source kind();

    /** The command, cache or template behind it. */
    String refersTo();

    GuardSettings settings();

    /** Chain: runs that reached the stage and have left it. */
    long reached();

    /** Chain: runs that left it for a reason. */
    long left(StageReason reason);

    /** Guard: attempts that ended for a reason, since the start. */
    long ended(StageReason reason);

    /** Guard: attempts that ended with an outcome, since the start. */
    long ended(StageOutcome outcome);

    /** Guard: time spent in attempts that ended with an outcome, in nanoseconds. */
    long nanos(StageOutcome outcome);

    /** Guard: attempts of the last ten seconds that ended for a reason. */
    long recent(StageReason reason);

    /** Guard: durations over the last minute. */
    Latency recentLatency();

    CircuitView circuit();

    /** Guard: bodies that may run at once now; 0 for no bound. */
    int limit();

    /** Guard: bodies that run now. */
    int active();

    /** Guard: calls that wait for a thread now. */
    int queued();

    /** Guard: bodies that run on although their caller has gone. */
    long orphans();

    /** Guard: bodies that ended well after their caller had gone. */
    long lateSuccesses();

    /** Guard: bodies that failed after their caller had gone. */
    long lateFailures();

    /** Guard: ends after the limit, on the caller's own thread. */
    long overruns();

    /** Attempts of the primary beyond the first of their run; zero for other stages. */
    long retries();

    /** Retries of the primary that the budget of the command did not allow. */
    long retriesOverBudget();

    /** What it would have answered while it was not needed; empty for a stage that is not rehearsed. */
    Optional<RehearsalView> rehearsal();

    /** Guard: functions of the user that threw. */
    long userMistakes();
}
