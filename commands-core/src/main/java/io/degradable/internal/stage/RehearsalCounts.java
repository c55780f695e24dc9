package io.degradable.internal.stage;

import io.degradable.internal.window.EnumCounts;
import io.degradable.model.CommandResult;
import io.degradable.model.StageReason;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a stage would have answered, had it been asked.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class RehearsalCounts {

    private final EnumCounts<StageReason> ended = new EnumCounts<>(StageReason.class);
    private final LongAdder ages = new LongAdder();
    private final LongAdder ageNanos = new LongAdder();
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    void add(StageReason reason, long age) {
        ended.increment(reason);
        if (reason == StageReason.ANSWER && age != CommandResult.AGELESS) {
            ages.increment();
            ageNanos.add(age);
            longestNanos.accumulate(age);
        }
    }

    public long ended(StageReason reason) {
        return ended.get(reason);
    }

    public long total() {
        return ended.total();
    }

    /** Answers that have an age. */
    public long ages() {
        return ages.sum();
    }

    public long ageNanos() {
        return ageNanos.sum();
    }

    public long longestNanos() {
        return longestNanos.get();
    }
}
