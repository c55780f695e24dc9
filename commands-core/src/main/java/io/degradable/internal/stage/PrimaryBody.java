package io.degradable.internal.stage;

import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.time.Ticker;
import java.util.List;
import javax.annotation.Nullable;

/**
 * {@code run()} of the command. A good answer is kept for the chain's caches right here, so an answer that comes too late for
 * its caller is kept as well, stamped with the moment its body started.
 */
final class PrimaryBody<C, R> extends StageBody.Direct<C, R> {

    private final LiveCall<C, R> run;
    private final List<Memory<C, ?, R>> memories;
    private final @Nullable Rehearsal<C> rehearsal;
    private final Ticker ticker;
    private final Runnable mistake;

    PrimaryBody(
            LiveCall<C, R> run,
            boolean nullIsFailure,
            List<Memory<C, ?, R>> memories,
            @Nullable Rehearsal<C> rehearsal,
            Ticker ticker,
            Runnable mistake) {
        super(nullIsFailure ? StageReason.EXCEPTION : StageReason.ANSWER, 0);
        this.run = run;
        this.memories = List.copyOf(memories);
        this.rehearsal = rehearsal;
        this.ticker = ticker;
        this.mistake = mistake;
    }

    @Override
    public @Nullable R call(C command, @Nullable FallbackContext context) throws Exception {
        long startedNanos = memories.isEmpty() ? 0 : ticker.nanos();
        R answer = run.call(command, context);
        if (answer != null) {
            if (rehearsal != null) {
                rehearsal.answered(command);
            }
            for (int place = 0;
                    place < memories.size();
                    place++) { // without an iterator: this is the way of every call
                memories.get(place).keep(command, answer, startedNanos, mistake);
            }
        }
        return answer;
    }
}
