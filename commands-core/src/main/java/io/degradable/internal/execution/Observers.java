package io.degradable.internal.execution;

import io.degradable.event.CommandEvent.CallEnded;
import io.degradable.event.CommandEvent.StageEnded;
import io.degradable.event.ContextCarrier.Captured;
import io.degradable.event.RunObserver;
import io.degradable.event.RunObserver.ObservedRun;
import io.degradable.model.CommandKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * Who follows the runs of a container. They are guests: what they throw is counted, and the run goes on.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Observers {

    private final List<RunObserver> observers;
    private final LongAdder mistakes = new LongAdder();

    Observers(List<RunObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    /**
     * A run begins, on the calling thread.
     *
     * @return null when nobody follows it
     */
    @Nullable
    Observed begins(CommandKey command) {
        List<ObservedRun> followed = new ArrayList<>(observers.size());
        for (RunObserver observer : observers) {
            try {
                ObservedRun run = observer.begins(command);
                if (run != null) {
                    followed.add(run);
                }
            } catch (Throwable mistake) {
                mistakes.increment();
            }
        }
        return followed.isEmpty() ? null : new Observed(followed);
    }

    long mistakes() {
        return mistakes.sum();
    }

    /** A run, for all who follow it. */
    final class Observed implements Captured {

        private final List<ObservedRun> followed;

        private Observed(List<ObservedRun> followed) {
            this.followed = followed;
        }

        @Override
        public Runnable install() {
            Deque<Runnable> putBack = new ArrayDeque<>(followed.size());
            tellEach(run -> putBack.push(run.install()));
            return () -> putBack.forEach(one -> tell(one));
        }

        void stageEnded(StageEnded stage) {
            tellEach(run -> run.stageEnded(stage));
        }

        void ended(CallEnded call) {
            tellEach(run -> run.ended(call));
        }

        private void tellEach(Consumer<ObservedRun> what) {
            for (ObservedRun run : followed) {
                tell(() -> what.accept(run));
            }
        }

        private void tell(Runnable what) {
            try {
                what.run();
            } catch (Throwable mistake) {
                mistakes.increment();
            }
        }
    }
}
