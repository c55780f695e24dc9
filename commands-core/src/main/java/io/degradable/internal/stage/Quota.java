package io.degradable.internal.stage;

import java.util.concurrent.atomic.AtomicLong;

/**
 * So many runs a second, evenly: at rest a second's worth may come at once, after that one each interval. The generic cell
 * rate algorithm (ITU-T I.371): one number, the moment up to which the quota is spoken for.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Quota {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final long intervalNanos;
    private final AtomicLong spokenForUntil;

    public Quota(double perSecond, long nowNanos) {
        this.intervalNanos = Math.max(1, (long) (SECOND_NANOS / perSecond));
        this.spokenForUntil = new AtomicLong(nowNanos);
    }

    public boolean tryTake(long nowNanos) {
        while (true) {
            long before = spokenForUntil.get();
            long from = before - nowNanos >= 0 ? before : nowNanos;
            long after = from + intervalNanos;
            // A quota below one a second still lets one through at rest.
            if (after - nowNanos > Math.max(SECOND_NANOS, intervalNanos)) {
                return false;
            }
            if (spokenForUntil.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    /** Takes back what was taken for a run that was refused further on. */
    public void giveBack() {
        spokenForUntil.addAndGet(-intervalNanos);
    }
}
