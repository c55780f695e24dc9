package io.degradable.internal.stage;

import io.degradable.model.CommandResult;
import io.degradable.model.FallbackContext;
import io.degradable.model.StageReason;
import io.degradable.template.StaticSnapshot;
import io.degradable.template.StaticSnapshot.Found;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * A record of a snapshot, else a template. A key that cannot be made and a record that cannot be read are counted as
 * mistakes, and the template answers all the same: whoever asks is at the end of the chain.
 */
final class SnapshotBody<C, K, R> implements StageBody<C, Found<? extends R>, R> {

    private final StaticSnapshot<K, ? extends R> snapshot;
    private final Function<? super C, ? extends K> key;
    private final Supplier<? extends R> otherwise;
    private final Runnable mistake;

    SnapshotBody(
            StaticSnapshot<K, ? extends R> snapshot,
            Function<? super C, ? extends K> key,
            Supplier<? extends R> otherwise,
            Runnable mistake) {
        this.snapshot = snapshot;
        this.key = key;
        this.otherwise = otherwise;
        this.mistake = mistake;
    }

    @Override
    public Found<? extends R> call(C command, @Nullable FallbackContext context) throws InterruptedException {
        try {
            return rehearse(command);
        } catch (InterruptedException interrupt) {
            throw interrupt; // it is the caller's
        } catch (Exception | InternalError thrown) { // the latter when a file was cut off under who reads it
            mistake.run();
            return unknown();
        }
    }

    /** What cannot be read is an exception here, or a rehearsal would not find it. */
    @Override
    public Found<? extends R> rehearse(C command) throws Exception {
        Found<? extends R> found = snapshot.find(key.apply(command));
        return found == null ? unknown() : found;
    }

    private Found<? extends R> unknown() {
        return new Found<>(otherwise.get(), CommandResult.AGELESS);
    }

    @Override
    public StageReason judge(@Nullable Found<? extends R> found) {
        return found == null || found.value() == null ? StageReason.NULL_ANSWER : StageReason.ANSWER;
    }

    @Override
    public @Nullable R answer(@Nullable Found<? extends R> found) {
        return found == null ? null : found.value();
    }

    @Override
    public long ageNanos(@Nullable Found<? extends R> found) {
        return found == null ? CommandResult.AGELESS : found.ageNanos();
    }
}
