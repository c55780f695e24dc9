package io.degradable.internal.stage;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much a command may add to the load of what is failing: a share of its calls, and a little more for commands with few
 * calls. Each call pays its share in, each retry takes a whole one out, and what is saved up is bounded; so over any time
 * there are never more retries than the share of the calls, the quota of that time, and the bound.
 *
 * <p>After the retry budgets of Finagle and of "The Site Reliability Workbook", chapter "Addressing Cascading Failures".
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class RetryBudget {

    /** A retry, when calls pay in percent. */
    private static final long RETRY = 100;

    private static final long MOST_SAVED = 100 * RETRY;

    private final int percentage;
    private final Quota floor;
    private final AtomicLong saved = new AtomicLong();

    /** Nothing saved up yet. */
    public RetryBudget(int percentage, double perSecond, long nowNanos) {
        this.percentage = percentage;
        this.floor = new Quota(perSecond, nowNanos);
    }

    /** A call pays in. */
    public void called() {
        if (percentage > 0 && saved.get() < MOST_SAVED) {
            saved.addAndGet(percentage); // over the bound by no more than one share for each thread
        }
    }

    /** Takes a retry out; false when there is none. */
    public boolean tryTake(long nowNanos) {
        while (true) {
            long before = saved.get();
            if (before < RETRY) {
                return floor.tryTake(nowNanos);
            }
            if (saved.compareAndSet(before, before - RETRY)) {
                return true;
            }
        }
    }
}
