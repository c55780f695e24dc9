package io.degradable;

import io.degradable.model.CommandException;
import io.degradable.model.CommandResult;
import io.degradable.rx.RxRuns;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;

/**
 * A call to something that may fail, with what is answered when it does. A subclass holds the arguments of one call and
 * says in {@link #run()} how a live answer is got; its {@link CommandSpec}, one for the class, says how that is guarded and
 * which chain answers in its place.
 *
 * <p>An instance holds its arguments only: the state of a run lives in the run. So it may be run again, and by several
 * threads at once if its {@code run()} allows that.
 *
 * @param <R> the type of the answer
 */
public abstract class DegradableCommand<R> {

    private final CommandSpec<?, R> spec;
    private final @Nullable Commands commands;

    /** A command that runs in {@link Commands#shared()}, looked up when it runs. */
    protected DegradableCommand(CommandSpec<? extends DegradableCommand<R>, R> spec) {
        this.spec = specOf(getClass(), spec);
        this.commands = null;
    }

    /** A command that runs in a container of its own choice. */
    protected DegradableCommand(Commands commands, CommandSpec<? extends DegradableCommand<R>, R> spec) {
        this.spec = specOf(getClass(), spec);
        this.commands = Objects.requireNonNull(commands, "commands must not be null");
    }

    private static <R> CommandSpec<?, R> specOf(Class<?> type, CommandSpec<?, R> spec) {
        return Objects.requireNonNull(spec, "spec must not be null").requireSpecOf(type);
    }

    /**
     * Gets a live answer. Runs on a thread of the command's pool, or on the caller's with a semaphore; should end soon after
     * an interrupt. {@link io.degradable.time.Deadline#current()} says how much time is left.
     *
     * @return the answer; null is an answer too, unless the spec says {@code nullIsFailure()}
     * @throws io.degradable.model.BadRequestException when the request itself is wrong: no stage answers, the breaker does
     *     not move
     * @throws Exception what the spec's failure rules sort into classes; any that they do not name enters the chain
     */
    protected abstract @Nullable R run() throws Exception;

    /**
     * Runs the command and waits for its answer, no longer than its timeout and its chain's budget together (with a
     * semaphore: until {@code run()} ends).
     *
     * @return the answer of the primary or of a stage of the chain; null only when {@code run()} returned null
     * @throws CommandException when nobody answered, or {@code run()} threw a checked exception that must not be answered
     *     for
     * @throws java.util.concurrent.CancellationException when the calling thread was interrupted; its flag is set again
     * @throws RuntimeException what {@code run()} threw, unchanged, when no stage may answer for it
     * @throws IllegalStateException when the container is closed, or knows another spec of this name
     */
    public final R execute() {
        return container().execute(this);
    }

    /** As {@link #execute()}, and tells where the answer came from, how old it is and why. */
    public final CommandResult<R> executeForResult() {
        return container().executeForResult(this);
    }

    /**
     * Begins the run and gives out the future of its answer. Dependents run on the container's continuation executor, or on
     * the calling thread if the run is over by then; with a semaphore {@code run()} has ended when this returns.
     *
     * <p>The future fails with what {@link #execute()} throws, checked exceptions of {@code run()} as they are. Completing or
     * cancelling it from outside ends the run like a cancellation; cancelling a dependent does not.
     *
     * @throws IllegalStateException when the container is closed, or knows another spec of this name
     */
    public final CompletableFuture<R> queue() {
        return container().queue(this);
    }

    /** As {@link #queue()}, and tells where the answer came from. */
    public final CompletableFuture<CommandResult<R>> queueForResult() {
        return container().queueForResult(this);
    }

    /**
     * The answer as a cold source: each subscription is a run of its own, and its disposal cancels that run. Completes empty
     * when {@code run()} returns null.
     */
    public final Maybe<R> toMaybe() {
        return spec.toMaybe(() -> container().container(), this);
    }

    /** As {@link #toMaybe()}, with the provenance of the answer. */
    public final Single<CommandResult<R>> toResultSingle() {
        return spec.toResultSingle(() -> container().container(), this);
    }

    /** The answer as a hot source: the run begins now, once, and goes on whoever subscribes or leaves. */
    public final Maybe<R> observe() {
        return RxRuns.hot(toMaybe());
    }

    private Commands container() {
        return commands == null ? Commands.shared() : commands;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + spec + "]";
    }

    CommandSpec<?, R> spec() {
        return spec;
    }
}
