package io.degradable.rx;

import io.degradable.internal.execution.FinishedRun;
import io.degradable.model.CommandResult;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeEmitter;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleEmitter;
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
            if (emitter.isDisposed()) {
                return; // as it subscribed: nobody wants a run
            }
            Runnable cancel = starter.start(run -> {
                try {
                    tell(run, emitter);
                } catch (Throwable mistake) {
                    emitter.tryOnError(mistake); // whoever listens must hear of the end
                }
            });
            emitter.setCancellable(cancel::run);
        });
    }

    private static <R> void tell(FinishedRun<R> run, MaybeEmitter<R> emitter) {
        if (!run.isAnswered()) {
            emitter.tryOnError(run.failure()); // false when nobody listens any more: counted as cancelled already
            return;
        }
        R answer = run.answer();
        if (answer == null) {
            emitter.onComplete();
        } else {
            emitter.onSuccess(answer);
        }
    }

    /** A run for each subscription; its result. */
    public static <R> Single<CommandResult<R>> resultSingle(Starter<R> starter) {
        return Single.create(emitter -> {
            if (emitter.isDisposed()) {
                return;
            }
            Runnable cancel = starter.start(run -> {
                try {
                    tell(run, emitter);
                } catch (Throwable mistake) {
                    emitter.tryOnError(mistake);
                }
            });
            emitter.setCancellable(cancel::run);
        });
    }

    private static <R> void tell(FinishedRun<R> run, SingleEmitter<CommandResult<R>> emitter) {
        if (run.isAnswered()) {
            emitter.onSuccess(run.result());
        } else {
            emitter.tryOnError(run.failure());
        }
    }

    /** The same source, subscribed once and now, for all who come later. */
    public static <R> Maybe<R> hot(Maybe<R> cold) {
        Maybe<R> cached = cold.cache();
        var unused = cached.subscribe(answer -> {}, failure -> {}, () -> {});
        return cached;
    }
}
