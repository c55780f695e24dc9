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
 * what carriers captured, and the run itself for those who follow it.
 *
 * <p>Threading: immutable; installed by any thread.
 */
public final class CallContext {

    private final Deadline parent;
    private final @Nullable ClassLoader loader;
    private final List<Captured> captured;
    private final @Nullable Captured run;
    private final Runnable onMistake;

    private CallContext(
            Deadline parent,
            @Nullable ClassLoader loader,
            List<Captured> captured,
            @Nullable Captured run,
            Runnable onMistake) {
        this.parent = parent;
        this.loader = loader;
        this.captured = captured;
        this.run = run;
        this.onMistake = onMistake;
    }

    /**
     * Captures it from the calling thread.
     *
     * @param run what those who follow the run have, around whatever is a part of it; null when nobody does
     * @param onMistake told of each function of a carrier that throws
     */
    public static CallContext capture(List<ContextCarrier> carriers, @Nullable Captured run, Runnable onMistake) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return new CallContext(Deadline.current(), loader, captured(carriers, onMistake), run, onMistake);
    }

    private static List<Captured> captured(List<ContextCarrier> carriers, Runnable onMistake) {
        if (carriers.isEmpty()) {
            return List.of();
        }
        List<Captured> all = new ArrayList<>(carriers.size());
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
        return all;
    }

    /** The deadline of the body that the run is a part of. */
    Deadline parent() {
        return parent;
    }

    /**
     * Does a piece of the driver's work on a thread that is not the caller's. What of it is a part of the run the driver
     * says itself, to those who follow the run.
     */
    public void runWith(Runnable work) {
        Deadline before = parent.enter();
        Installed installed = installCarried();
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

    /** Does what is no part of the run either, and is not to be seen by those who follow it: with what carriers captured. */
    public void runUnseen(Runnable work) {
        Installed installed = installCarried();
        try {
            work.run();
        } finally {
            installed.takeAway();
        }
    }

    /** Installs on the calling thread what was carried along, and the run. */
    Installed install() {
        Installed installed = installCarried();
        if (run != null) {
            installed.add(run);
        }
        return installed;
    }

    private Installed installCarried() {
        Thread thread = Thread.currentThread();
        Installed installed = new Installed(thread, thread.getContextClassLoader());
        thread.setContextClassLoader(loader);
        for (Captured one : captured) {
            installed.add(one);
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

        private void add(Captured one) {
            try {
                if (putBack == null) {
                    putBack = new ArrayDeque<>();
                }
                putBack.push(one.install());
            } catch (Throwable mistake) {
                onMistake.run();
            }
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
