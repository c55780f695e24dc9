package io.degradable.internal.guard;

import io.degradable.event.ContextCarrier;
import io.degradable.event.ContextCarrier.Captured;
import io.degradable.time.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.annotation.Nullable;

/**
 * What a run takes along from the thread that called: the deadline and the body it is a part of, the context class loader,
 * and what carriers captured.
 *
 * <p>Threading: immutable; installed by any thread.
 */
public final class CallContext {

    private final Deadline parent;
    private final @Nullable ClassLoader loader;
    private final List<Captured> captured;
    private final Runnable onMistake;

    private CallContext(Deadline parent, @Nullable ClassLoader loader, List<Captured> captured, Runnable onMistake) {
        this.parent = parent;
        this.loader = loader;
        this.captured = captured;
        this.onMistake = onMistake;
    }

    /**
     * Captures it from the calling thread.
     *
     * @param also what is taken along, too
     * @param onMistake told of each function of a carrier that throws
     */
    public static CallContext capture(List<ContextCarrier> carriers, @Nullable Captured also, Runnable onMistake) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return new CallContext(Deadline.current(), loader, captured(carriers, also, onMistake), onMistake);
    }

    private static List<Captured> captured(List<ContextCarrier> carriers, @Nullable Captured also, Runnable onMistake) {
        if (carriers.isEmpty()) {
            return also == null ? List.of() : List.of(also);
        }
        List<Captured> all = new ArrayList<>(carriers.size() + 1);
        for (ContextCarrier carrier : carriers) {
            try {
                Captured captured = carrier.capture();
                if (captured != null) {
                    all.add(captured);
                }
            } catch (Throwable mistake) {
                onMistake.run();
            }
        }
        if (also != null) {
            all.add(also);
        }
        return all;
    }

    /** The body that the run is a part of. */
    @Nullable
    Attempt<?, ?> around() {
        return Attempt.around(parent);
    }

    /** Does a piece of the driver's work on a thread that is not the caller's. */
    public void runWith(Runnable work) {
        Deadline before = parent.enter();
        Installed installed = install();
        try {
            work.run();
        } finally {
            installed.takeAway();
            Deadline.restore(before);
        }
    }

    /** Does what is no part of the call, so its deadline does not hold, with what was carried along. */
    public void runApart(Runnable work) {
        Installed installed = install();
        try {
            work.run();
        } finally {
            installed.takeAway();
        }
    }

    /** Installs loader and carriers on the calling thread. */
    Installed install() {
        Thread thread = Thread.currentThread();
        Installed installed = new Installed(thread, thread.getContextClassLoader());
        thread.setContextClassLoader(loader);
        for (Captured one : captured) {
            try {
                installed.putBack().push(one.install());
            } catch (Throwable mistake) {
                onMistake.run();
            }
        }
        return installed;
    }

    /** What is to be put back on a thread, last in first out. */
    final class Installed {

        private final Thread thread;
        private final @Nullable ClassLoader loaderBefore;
        private @Nullable Deque<Runnable> putBack;

        private Installed(Thread thread, @Nullable ClassLoader loaderBefore) {
            this.thread = thread;
            this.loaderBefore = loaderBefore;
        }

        private Deque<Runnable> putBack() {
            if (putBack == null) {
                putBack = new ArrayDeque<>();
            }
            return putBack;
        }

        /** Leaves the thread as it was. */
        void takeAway() {
            if (putBack != null) {
                for (Runnable one : putBack) {
                    try {
                        one.run();
                    } catch (Throwable mistake) {
                        onMistake.run();
                    }
                }
            }
            thread.setContextClassLoader(loaderBefore);
        }
    }
}
