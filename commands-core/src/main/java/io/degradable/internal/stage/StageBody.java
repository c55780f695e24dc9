package io.degradable.internal.stage;

import io.degradable.internal.guard.Body;
import io.degradable.model.CommandResult;
import io.degradable.model.StageReason;
import javax.annotation.Nullable;

/**
 * The body of a stage, and how to read an answer out of what it yields.
 *
 * @param <C> the command
 * @param <V> what the body yields
 * @param <R> the answer
 */
public interface StageBody<C, V, R> extends Body<C, V> {

    /** What {@link #call} would yield now, without a trace of having been asked. */
    default @Nullable V rehearse(C command) throws Exception {
        return call(command, null);
    }

    /** The answer in a value that was judged to be one. */
    @Nullable
    R answer(@Nullable V value);

    /** Its age; zero for a live answer, {@link CommandResult#AGELESS} for one that has none. */
    long ageNanos(@Nullable V value);

    /** A body that yields the answer itself. */
    abstract class Direct<C, R> implements StageBody<C, R, R> {

        private final StageReason onNull;
        private final long ageNanos;

        Direct(StageReason onNull, long ageNanos) {
            this.onNull = onNull;
            this.ageNanos = ageNanos;
        }

        @Override
        public StageReason judge(@Nullable R value) {
            return value == null ? onNull : StageReason.ANSWER;
        }

        @Override
        public @Nullable R answer(@Nullable R value) {
            return value;
        }

        @Override
        public long ageNanos(@Nullable R value) {
            return ageNanos;
        }
    }
}
