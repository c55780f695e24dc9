package io.degradable.internal.execution;

import io.degradable.internal.stage.Quota;
import io.degradable.internal.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.annotation.Nullable;

/**
 * How a command serves copies without asking its primary, as long as they are young. The stages are not of its chain.
 *
 * @param key what tells answers apart
 * @param memory reads the young copies in memory
 * @param store reads those in the store behind it; null when there is none
 * @param fetched reads in memory what another run has just fetched, however long that took
 * @param flights which keys are being fetched
 * @param refill how many runs go on to the primary; null for any number
 * @param isOut whether a hand has taken the cache out, so that copies are not looked up
 */
record ShortCut<C, R>(
        Function<? super C, ?> key,
        Stage<C, ?, R> memory,
        @Nullable Stage<C, ?, R> store,
        Stage<C, ?, R> fetched,
        Flights flights,
        @Nullable Quota refill,
        boolean isOut) {

    List<Stage<C, ?, R>> stages() {
        List<Stage<C, ?, R>> stages = new ArrayList<>();
        stages.add(memory);
        if (store != null) {
            stages.add(store);
        }
        stages.add(fetched);
        return stages;
    }
}
