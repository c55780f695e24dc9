package io.degradable.rx;

import io.degradable.internal.execution.FinishedRun;
import io.degradable.model.CommandResult;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.function.Consumer;

/**
 * Runs as RxJava 3 sources. Signals come on the thread that ends the run: the container's continuation executor, or the
 * subscribing thread when the run is over before its subscription is.
 */
public final class RxRuns {

    /** Begins a run. */
    @FunctionalInterface
    public interface Starter<R> {

        /**
         * Begins a run.
         *
         * @param whenOver told once when it is over
         * @return cancels it
         */
        Runnable start(Consumer<FinishedRun<R>> whenOver);
    }

    private RxRuns() {}

    /** A run for each subscription; its answer, or empty for null. */
    public static <R> Maybe<R> maybe(Starter<R> starter) {
        return Maybe.create(emitter -> {
            Runnable cancel = starter.start(run -> {
                if (!run.isAnswered()) {
                    emitter.tryOnError(
                            run.failure()); // false when nobody listens any more: counted as cancelled already
                    return;
                }
                R answer = run.answer();
                if (answer == null) {
                    emitter.onComplete();
                } else {
                    emitter.onSuccess(answer);
                }
            });
            emitter.setCancellable(cancel::run);
        });
    }

    /** A run for each subscription; its result. */
    public static <R> Single<CommandResult<R>> resultSingle(Starter<R> starter) {
        return Single.create(emitter -> {
            Runnable cancel = starter.start(run -> {
                if (run.isAnswered()) {
                    emitter.onSuccess(run.result());
                } else {
                    emitter.tryOnError(run.failure());
                }
            });
            emitter.setCancellable(cancel::run);
        });
    }

    /** The same source, subscribed once and now, for all who come later. */
    public static <R> Maybe<R> hot(Maybe<R> cold) {
        Maybe<R> cached = cold.cache();
        var unused = cached.subscribe(answer -> {}, failure -> {}, () -> {});
        return cached;
    }
}
