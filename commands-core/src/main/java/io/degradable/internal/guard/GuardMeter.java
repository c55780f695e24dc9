package io.degradable.internal.guard;

import io.degradable.internal.window.LatencyHistogram;
import io.degradable.internal.window.Tally;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.time.Lane;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;

/**
 * What a guard has seen: since the start, and over the last while. A guard that several chains and direct callers share has
 * one meter; what a chain got out of it is counted by the chain.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class GuardMeter {

    /** What the rolling counts look back at. */
    public static final Duration WINDOW = Duration.ofSeconds(10);

    private static final int BUCKETS = 10;
    private static final Duration PERCENTILE_WINDOW = Duration.ofSeconds(60);
    private static final int PERCENTILE_BUCKETS = 6;

    private static final int REASONS = StageReason.values().length;
    private static final int OUTCOMES = StageOutcome.values().length;

    /** The time that each outcome took, then how many ended for each reason; so an answer's two are neighbours. */
    private final Tally ended;

    private final Tally durations;
    private final LongAdder lateSuccesses = new LongAdder();
    private final LongAdder lateFailures = new LongAdder();
    private final LongAdder orphans = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private final LongAdder mistakes = new LongAdder();

    GuardMeter(long nowNanos) {
        this.ended = new Tally(REASONS + OUTCOMES, WINDOW, BUCKETS, nowNanos);
        this.durations = new Tally(LatencyHistogram.BUCKETS, PERCENTILE_WINDOW, PERCENTILE_BUCKETS, nowNanos);
    }

    void ended(@Nullable Lane lane, Call<?> call) {
        StageReason reason = call.reason();
        long now = call.endNanos();
        ended.count(lane, countOf(reason), now);
        if (reason.outcome() == StageOutcome.REFUSED) {
            return; // no time was spent, and a refusal's zero would flatter every latency
        }
        long elapsed = now - call.startNanos();
        if (elapsed != 0) {
            ended.add(lane, timeOf(reason.outcome()), elapsed, now);
        }
        durations.count(lane, LatencyHistogram.bucketOf(elapsed), now);
        if (call.overrun()) {
            overruns.increment();
        }
    }

    private static int timeOf(StageOutcome outcome) {
        return outcome.ordinal();
    }

    private static int countOf(StageReason reason) {
        return OUTCOMES + reason.ordinal();
    }

    void bodyOrphaned() {
        orphans.increment();
    }

    void orphanEnded() {
        orphans.decrement();
    }

    void lateEnd(boolean success) {
        (success ? lateSuccesses : lateFailures).increment();
    }

    void userMistake() {
        mistakes.increment();
    }

    /** Attempts that ended for a reason, since the start. */
    public long ended(StageReason reason) {
        return ended.total(countOf(reason));
    }

    /** Attempts that ended with an outcome, since the start. */
    public long ended(StageOutcome outcome) {
        long sum = 0;
        for (StageReason reason : StageReason.values()) {
            if (reason.outcome() == outcome) {
                sum += ended(reason);
            }
        }
        return sum;
    }

    /** Time spent in attempts that ended with an outcome, since the start. */
    public long nanos(StageOutcome outcome) {
        return ended.total(timeOf(outcome));
    }

    /** Durations of attempts that were not refused, by bucket, since the start. */
    public long[] histogram() {
        return durations.totals();
    }

    /** Durations of attempts that were not refused, by bucket, over the last minute. */
    public long[] recentHistogram(long nowNanos) {
        return durations.sums(nowNanos);
    }

    /** Figures of the last ten seconds. */
    public Recent recent(long nowNanos) {
        return new Recent(ended.sums(nowNanos));
    }

    /** Bodies that ended well after their caller had gone. */
    public long lateSuccesses() {
        return lateSuccesses.sum();
    }

    /** Bodies that failed after their caller had gone. */
    public long lateFailures() {
        return lateFailures.sum();
    }

    /** Bodies that run on now although their caller has gone. */
    public long orphans() {
        return orphans.sum();
    }

    /** Answers and failures that came after the limit, on the caller's own thread. */
    public long overruns() {
        return overruns.sum();
    }

    /** Functions of the user that threw. */
    public long mistakes() {
        return mistakes.sum();
    }

    /** Figures of the last ten seconds. */
    public static final class Recent {

        private final long[] sums;

        private Recent(long[] sums) {
            this.sums = sums;
        }

        public long ended(StageReason reason) {
            return sums[countOf(reason)];
        }

        /** Attempts whose body said something about the dependency: it answered, failed or timed out. */
        public long measured() {
            return answered() + ended(StageReason.EXCEPTION) + ended(StageReason.FATAL) + ended(StageReason.TIMEOUT);
        }

        public long answered() {
            return ended(StageReason.ANSWER);
        }

        /** The mean latency of answers; 0 without any. */
        public long meanAnswerNanos() {
            return answered() == 0 ? 0 : sums[timeOf(StageOutcome.ANSWERED)] / answered();
        }
    }
}
