package io.degradable.internal.guard;

import io.degradable.internal.window.EnumCounts;
import io.degradable.internal.window.LatencyHistogram;
import io.degradable.internal.window.RollingCounts;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

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
    /** Kind of the rolling counts that sums up the latency of answers, after one kind for each reason. */
    private static final int ANSWER_NANOS = REASONS;

    private final EnumCounts<StageReason> ended = new EnumCounts<>(StageReason.class);
    private final EnumCounts<StageOutcome> nanos = new EnumCounts<>(StageOutcome.class);
    private final AtomicLongArray histogram = new AtomicLongArray(LatencyHistogram.BUCKETS);
    private final RollingCounts recent;
    private final RollingCounts recentHistogram;
    private final LongAdder lateSuccesses = new LongAdder();
    private final LongAdder lateFailures = new LongAdder();
    private final LongAdder orphans = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private final LongAdder mistakes = new LongAdder();

    GuardMeter(long nowNanos) {
        this.recent = new RollingCounts(REASONS + 1, WINDOW, BUCKETS, nowNanos);
        this.recentHistogram =
                new RollingCounts(LatencyHistogram.BUCKETS, PERCENTILE_WINDOW, PERCENTILE_BUCKETS, nowNanos);
    }

    void attemptEnded(Attempt<?, ?> attempt) {
        StageReason reason = attempt.reason();
        long now = attempt.endNanos();
        ended.increment(reason);
        recent.add(reason.ordinal(), 1, now);
        if (reason.outcome() == StageOutcome.REFUSED) {
            return; // no time was spent, and a refusal's zero would flatter every latency
        }
        long elapsed = now - attempt.startNanos();
        nanos.add(reason.outcome(), elapsed);
        int bucket = LatencyHistogram.bucketOf(elapsed);
        histogram.getAndIncrement(bucket);
        recentHistogram.add(bucket, 1, now);
        if (reason == StageReason.ANSWER) {
            recent.add(ANSWER_NANOS, elapsed, now);
        }
        if (attempt.overrun()) {
            overruns.increment();
        }
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
        return ended.get(reason);
    }

    /** Attempts that ended with an outcome, since the start. */
    public long ended(StageOutcome outcome) {
        long sum = 0;
        for (StageReason reason : StageReason.values()) {
            if (reason.outcome() == outcome) {
                sum += ended.get(reason);
            }
        }
        return sum;
    }

    /** Time spent in attempts that ended with an outcome, since the start. */
    public long nanos(StageOutcome outcome) {
        return nanos.get(outcome);
    }

    /** Durations of attempts that were not refused, by bucket, since the start. */
    public long[] histogram() {
        long[] counts = new long[histogram.length()];
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] = histogram.get(bucket);
        }
        return counts;
    }

    /** Durations of attempts that were not refused, by bucket, over the last minute. */
    public long[] recentHistogram(long nowNanos) {
        return recentHistogram.sums(nowNanos);
    }

    /** Attempts of the last ten seconds by reason (its ordinal), then the nanoseconds the answers took in all. */
    public Recent recent(long nowNanos) {
        return new Recent(recent.sums(nowNanos));
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
            return sums[reason.ordinal()];
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
            return answered() == 0 ? 0 : sums[ANSWER_NANOS] / answered();
        }
    }
}
