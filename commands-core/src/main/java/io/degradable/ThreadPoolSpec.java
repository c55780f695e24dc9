package io.degradable;

import io.degradable.internal.execution.Container;
import io.degradable.settings.BulkheadSettings;
import io.degradable.settings.GuardSettings;
import io.degradable.settings.Require;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** What a thread pool is set to. It grows to its size before it queues. */
public final class ThreadPoolSpec {

    private String name;
    private int size;
    private int queue = BulkheadSettings.ThreadPool.DEFAULT_QUEUE;
    private Duration queueTimeout = GuardSettings.NO_TIMEOUT;
    private int callerRuns;
    private final Set<String> said = new HashSet<>();

    ThreadPoolSpec(String name, int size) {
        this.name = name;
        this.size = size;
    }

    /** The pool's name; all that name it share it and must give the same figures. Default: the command's group. */
    public ThreadPoolSpec named(String name) {
        this.name = name;
        return this;
    }

    /** Threads, 1 or more; default 10. */
    public ThreadPoolSpec size(int size) {
        said.add("size");
        this.size = size;
        return this;
    }

    /** Places for calls that wait for a thread, 0 or more; default 0, where a call that finds no thread is refused at once. */
    public ThreadPoolSpec queue(int queue) {
        said.add("queue");
        this.queue = queue;
        return this;
    }

    /**
     * How long a call may wait in the queue before it is refused, as if it had found the queue full. Default: as long as its
     * stage may take, which then is a timeout.
     */
    public ThreadPoolSpec queueTimeout(Duration limit) {
        said.add("queueTimeout");
        this.queueTimeout = limit;
        return this;
    }

    /**
     * How many calls that find the pool full may run on their callers' threads, while the breaker is closed; default 0. Such
     * a call cannot leave before its body ends.
     */
    public ThreadPoolSpec callerRuns(int callers) {
        said.add("callerRuns");
        this.callerRuns = callers;
        return this;
    }

    /** The names of the settings that were set; a size that comes with the kind of stage is none. */
    Set<String> said() {
        return said;
    }

    BulkheadSettings.ThreadPool build() {
        BulkheadSettings.ThreadPool made = new BulkheadSettings.ThreadPool(name, size, queue, queueTimeout, callerRuns);
        Require.that(
                !made.name().equals(Container.OTHER) && !made.name().startsWith(Container.OTHER + "/"),
                "threadPool.name must not be " + name + ": commands above a container's cap on names share that pool");
        return made;
    }
}
