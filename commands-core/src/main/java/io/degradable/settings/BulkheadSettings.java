package io.degradable.settings;

import java.time.Duration;

/** Where the body of a guard runs and how many may run at once. */
public sealed interface BulkheadSettings {

    /**
     * On a thread of a pool, which is shared by all that name it.
     *
     * @param name the pool's name, unique in a container; pools of one name must have the same figures
     * @param size threads; the pool grows to its size before it queues
     * @param queue places for calls that wait for a thread; 0 means none waits
     * @param queueTimeout how long a call may wait for a thread before it is refused; {@link GuardSettings#NO_TIMEOUT} to
     *     let it wait as long as its stage may take
     * @param callerRuns how many calls that find the pool full may run on their callers' threads, while the breaker is
     *     closed; 0 for none
     */
    record ThreadPool(String name, int size, int queue, Duration queueTimeout, int callerRuns)
            implements BulkheadSettings {

        public static final int DEFAULT_SIZE = 10;
        public static final int DEFAULT_QUEUE = 0;

        /** A pool with no further settings. */
        public ThreadPool(String name, int size, int queue) {
            this(name, size, queue, GuardSettings.NO_TIMEOUT, 0);
        }

        public ThreadPool {
            Require.name("threadPool.name", name);
            Require.positive("threadPool.size", size);
            Require.notNegative("threadPool.queue", queue);
            Require.positive("threadPool.queueTimeout", queueTimeout);
            Require.that(
                    queue > 0 || queueTimeout.equals(GuardSettings.NO_TIMEOUT),
                    "threadPool.queueTimeout of " + Require.text(queueTimeout)
                            + " has no effect: the queue has no places, say queue(...)");
            Require.notNegative("threadPool.callerRuns", callerRuns);
        }

        @Override
        public String toString() {
            return "ThreadPool[name=" + name + ", size=" + size + ", queue=" + queue + ", queueTimeout="
                    + Require.text(queueTimeout) + ", callerRuns=" + callerRuns + "]";
        }
    }

    /**
     * On the caller's thread.
     *
     * @param limit how many callers may be in the body at once; a further one is refused at once
     */
    record Semaphore(int limit) implements BulkheadSettings {

        public static final int DEFAULT_LIMIT = 10;

        public Semaphore {
            Require.positive("semaphore.limit", limit);
        }
    }

    /**
     * Each on a virtual thread of its own; Java 21 or newer.
     *
     * @param limit how many may run at once; a further one is refused at once
     */
    record VirtualThreads(int limit) implements BulkheadSettings {

        public VirtualThreads {
            Require.positive("virtualThreads.limit", limit);
        }
    }

    /** On the caller's thread and without a bound: for bodies that only look something up in memory. */
    record Inline() implements BulkheadSettings {}
}
