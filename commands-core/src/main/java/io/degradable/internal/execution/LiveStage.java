package io.degradable.internal.execution;

import io.degradable.internal.stage.RehearsalCounts;
import io.degradable.internal.stage.Stage;
import io.degradable.internal.window.LatencyHistogram;
import io.degradable.model.Source;
import io.degradable.model.StageOutcome;
import io.degradable.model.StageReason;
import io.degradable.settings.GuardSettings;
import io.degradable.state.CircuitView;
import io.degradable.state.Latency;
import io.degradable.state.RehearsalView;
import io.degradable.state.StageView;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * A stage as it is wired now, for those who only look.
 *
 * @param place among all stages of the command
 */
record LiveStage(CommandRuntime<?, ?> command, int place) implements StageView {

    private Stage<?, ?, ?> stage() {
        return command.wiring().allStages().get(place);
    }

    private long now() {
        return command.ticker().nanos();
    }

    private @Nullable Retries tried() {
        return place == 0 ? command.lasting().retries() : null;
    }

    @Override
    public String name() {
        return stage().settings().name();
    }

    @Override
    public Source kind() {
        return stage().settings().kind();
    }

    @Override
    public String refersTo() {
        return stage().settings().refersTo();
    }

    @Override
    public GuardSettings settings() {
        return stage().guard().settings();
    }

    @Override
    public long reached() {
        return stage().reached();
    }

    @Override
    public long left(StageReason reason) {
        return stage().ended(reason);
    }

    @Override
    public long ended(StageReason reason) {
        return stage().guard().meter().ended(reason);
    }

    @Override
    public long ended(StageOutcome outcome) {
        return stage().guard().meter().ended(outcome);
    }

    @Override
    public long nanos(StageOutcome outcome) {
        return stage().guard().meter().nanos(outcome);
    }

    @Override
    public long recent(StageReason reason) {
        return stage().guard().meter().recent(now()).ended(reason);
    }

    @Override
    public Latency recentLatency() {
        return new Buckets(stage().guard().meter().recentHistogram(now()));
    }

    @Override
    public CircuitView circuit() {
        return stage().guard().breaker().explain(now());
    }

    @Override
    public int limit() {
        return stage().guard().bulkhead().limit();
    }

    @Override
    public int active() {
        return stage().guard().bulkhead().active();
    }

    @Override
    public int queued() {
        return stage().guard().bulkhead().queued();
    }

    @Override
    public long orphans() {
        return stage().guard().meter().orphans();
    }

    @Override
    public long lateSuccesses() {
        return stage().guard().meter().lateSuccesses();
    }

    @Override
    public long lateFailures() {
        return stage().guard().meter().lateFailures();
    }

    @Override
    public long overruns() {
        return stage().guard().meter().overruns();
    }

    @Override
    public long userMistakes() {
        return stage().guard().meter().mistakes();
    }

    @Override
    public long retries() {
        Retries tried = tried();
        return tried == null ? 0 : tried.retried();
    }

    @Override
    public long retriesOverBudget() {
        Retries tried = tried();
        return tried == null ? 0 : tried.overBudget();
    }

    @Override
    public Optional<RehearsalView> rehearsal() {
        RehearsalCounts counts = command.wiring().isRehearsed() ? rehearsed() : null;
        if (counts == null) {
            return Optional.empty();
        }
        Map<StageReason, Long> ended = new EnumMap<>(StageReason.class);
        for (StageReason reason : StageReason.values()) {
            if (counts.ended(reason) > 0) {
                ended.put(reason, counts.ended(reason));
            }
        }
        long ages = counts.ages();
        return Optional.of(new RehearsalView(
                counts.total(),
                counts.ended(StageReason.ANSWER),
                ended,
                Duration.ofNanos(ages == 0 ? 0 : counts.ageNanos() / ages),
                Duration.ofNanos(counts.longestNanos())));
    }

    private @Nullable RehearsalCounts rehearsed() {
        Stage<?, ?, ?> stage = stage();
        return command.wiring().chain().contains(stage) ? stage.rehearsed() : null;
    }

    private static final class Buckets implements Latency {

        private final long[] counts;

        Buckets(long[] counts) {
            this.counts = counts;
        }

        @Override
        public long count() {
            long count = 0;
            for (long inBucket : counts) {
                count += inBucket;
            }
            return count;
        }

        @Override
        public Duration percentile(double percentile) {
            return Duration.ofNanos(LatencyHistogram.percentile(counts, percentile));
        }

        @Override
        public Duration mean() {
            return Duration.ofNanos(LatencyHistogram.mean(counts));
        }
    }
}
