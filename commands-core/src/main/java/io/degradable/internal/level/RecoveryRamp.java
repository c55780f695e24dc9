package io.degradable.internal.level;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Gives what was kept away back by and by: 10, 25, 50, 75, 100 percent of the calls, each step for at least a minute (D4).
 *
 * <pre>
 *   step --healthy, a minute in it--> next step; past the last, over
 *   step --unhealthy--> step below
 *   first step --unhealthy--> nothing for a minute, then the first step again; each time twice as long, 10 min at most
 * </pre>
 *
 * <p>Which calls are among them is decided by a hash of their ids with a salt, so the same id gets the same decision in a
 * step and in all higher ones.
 *
 * <p>Threading: {@link #admits} and the figures may be asked by any thread; {@link #check} by one at a time.
 */
public final class RecoveryRamp {

    private static final int[] SHARES = {10, 25, 50, 75, 100};
    private static final long STAY_NANOS = 60_000_000_000L;
    private static final long LONGEST_WAIT_NANOS = 600_000_000_000L;

    /** How often to {@link #check}. */
    public static final long CHECK_NANOS = 10_000_000_000L;

    /** Half of the hashes, as David Stafford's variant 13 of the MurmurHash3 finalizer spreads them. */
    private static final long FIRST_FACTOR = 0xBF58476D1CE4E5B9L;

    private static final long SECOND_FACTOR = 0x94D049BB133111EBL;

    private final long salt;
    private int step;
    private long sinceNanos;
    private long waitNanos;
    private volatile int share = SHARES[0];

    /** The first step begins. */
    public RecoveryRamp(long nowNanos) {
        this(ThreadLocalRandom.current().nextLong(), nowNanos);
    }

    RecoveryRamp(long salt, long nowNanos) {
        this.salt = salt;
        this.sinceNanos = nowNanos;
    }

    /** Whether a call is among those that are given back. */
    public boolean admits(long callId) {
        return Math.floorMod(spread(callId ^ salt), 100L) < share;
    }

    private static long spread(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * FIRST_FACTOR;
        mixed = (mixed ^ (mixed >>> 27)) * SECOND_FACTOR;
        return mixed ^ (mixed >>> 31);
    }

    /** The share given back now, in percent; 0 while it waits to begin anew. */
    public int share() {
        return share;
    }

    /** Whether everything is given back. */
    public boolean isOver() {
        return step == SHARES.length;
    }

    /**
     * Goes on or back, if it is time.
     *
     * @param healthy whether what gets the calls does well
     */
    public void check(boolean healthy, long nowNanos) {
        long stayNanos = nowNanos - sinceNanos;
        if (share == 0) {
            if (stayNanos >= waitNanos) {
                moveTo(0, nowNanos);
            }
        } else if (!healthy) {
            fallBack(nowNanos);
        } else if (stayNanos >= STAY_NANOS) {
            moveTo(step + 1, nowNanos);
        }
    }

    private void fallBack(long nowNanos) {
        if (step > 0) {
            moveTo(step - 1, nowNanos);
        } else {
            share = 0;
            sinceNanos = nowNanos;
            waitNanos = waitNanos == 0 ? STAY_NANOS : Math.min(LONGEST_WAIT_NANOS, waitNanos * 2);
        }
    }

    private void moveTo(int next, long nowNanos) {
        step = next;
        sinceNanos = nowNanos;
        if (next < SHARES.length) {
            share = SHARES[next];
        }
    }
}
