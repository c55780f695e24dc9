package io.degradable.internal.window;

import io.degradable.time.Lane;
import io.degradable.time.Spans;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.Nullable;

/**
 * How many calls are in flight for longer than a limit, without a record for each. A call on a lane leaves a stamp there. Of
 * all others it counts those that came less those that went, for each stretch of time in which they came: such a call is
 * overdue once its whole stretch is older than the limit, which is never too early and at most a twentieth of (limit +
 * memory) late. A call is forgotten when it has been overdue for as long as the memory, so that one that got lost does no
 * harm for ever.
 *
 * <p>Threading: every method may be called from any thread. Whoever leaves has entered.
 */
public final class InFlight {

    private static final int STRETCHES = 20;
    private static final long NOBODY = 0;
    private static final VarHandle STAMP = MethodHandles.arrayElementVarHandle(long[].class);

    /** Before the stamp, so that it does not share a line of the processor's cache with that of another lane. */
    private static final int PADDING = 8;

    /** A limit that nobody lives to see is none; it also keeps the sums below from overflowing. */
    private static final long NO_LIMIT = Spans.FOREVER / 4;

    private final boolean limited;
    private final long limitNanos;
    private final long stretchNanos;
    private final long originNanos;
    private final AtomicLong nextLookNanos;

    /** By lane; each place is read and written by who holds it. */
    private final long[][] stamps;

    /** Those of the lanes that have one here: most often a few of many. */
    private final AtomicReference<long[][]> inUse = new AtomicReference<>(new long[0][]);

    private final AtomicReference<RollingCounts> byStart = new AtomicReference<>();

    /**
     * Nobody in flight.
     *
     * @param limitNanos from when on a call is overdue
     * @param memory for how long it is remembered as overdue
     */
    public InFlight(long limitNanos, Duration memory, long nowNanos) {
        this.limited = limitNanos < NO_LIMIT;
        this.limitNanos = limitNanos;
        this.stretchNanos = limited ? (limitNanos + Spans.nanos(memory) + STRETCHES - 1) / STRETCHES : 0;
        this.originNanos = nowNanos;
        this.nextLookNanos = new AtomicLong(nowNanos);
        this.stamps = new long[limited ? Lane.lanes() : 0][];
    }

    /**
     * A call comes. Says whether it is a good moment to look for overdue ones, which one call in each stretch is told.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    public boolean enter(@Nullable Lane lane, long startNanos) {
        if (!limited) {
            return false;
        }
        if (lane == null) {
            counts().add(1, startNanos);
        } else {
            STAMP.setRelease(stampOf(lane), PADDING, stamp(startNanos));
        }
        long look = nextLookNanos.get();
        return startNanos - look >= 0 && nextLookNanos.compareAndSet(look, endOfStretch(startNanos));
    }

    private long[] stampOf(Lane lane) {
        long[] stamp = stamps[lane.index()];
        if (stamp != null) {
            return stamp;
        }
        long[] made = new long[PADDING + 1];
        long[][] before;
        long[][] more;
        do { // no lambda: to link one takes stack
            before = Objects.requireNonNull(inUse.get());
            more = Arrays.copyOf(before, before.length + 1);
            more[before.length] = made;
        } while (!inUse.compareAndSet(before, more));
        // Not before: if the stack or the memory ends in between, it would never be seen.
        stamps[lane.index()] = made;
        return made;
    }

    private long endOfStretch(long nowNanos) {
        return originNanos + (Math.floorDiv(nowNanos - originNanos, stretchNanos) + 1) * stretchNanos;
    }

    /** The moment, but never {@link #NOBODY}. */
    private static long stamp(long startNanos) {
        return startNanos | 1;
    }

    private RollingCounts counts() {
        RollingCounts counts = byStart.get();
        if (counts != null) {
            return counts;
        }
        byStart.compareAndSet(
                null, new RollingCounts(Duration.ofNanos(stretchNanos * STRETCHES), STRETCHES, originNanos));
        return Objects.requireNonNull(byStart.get());
    }

    /**
     * The call that came at a moment goes.
     *
     * @param lane the same as at its coming
     */
    public void leave(@Nullable Lane lane, long startNanos) {
        if (!limited) {
            return;
        }
        if (lane == null) {
            counts().add(-1, startNanos);
            return;
        }
        STAMP.setRelease(stampOf(lane), PADDING, NOBODY);
    }

    /** Calls in flight for longer than the limit. */
    public long overdue(long nowNanos) {
        if (!limited) {
            return 0;
        }
        RollingCounts counts = byStart.get();
        long overdue = counts == null ? 0 : counts.sumBefore(nowNanos - limitNanos, nowNanos);
        for (long[] stamp : Objects.requireNonNull(inUse.get())) {
            overdue += isOverdue((long) STAMP.getAcquire(stamp, PADDING), nowNanos) ? 1 : 0;
        }
        return overdue;
    }

    private boolean isOverdue(long stamp, long nowNanos) {
        long inFlightNanos = nowNanos - stamp;
        return stamp != NOBODY && inFlightNanos > limitNanos && inFlightNanos <= stretchNanos * STRETCHES;
    }

    /** The same as {@link #enter(Lane, long)} for who holds no lane. */
    public boolean enter(long startNanos) {
        return enter(null, startNanos);
    }

    /** The same as {@link #leave(Lane, long)} for who holds no lane. */
    public void leave(long startNanos) {
        leave(null, startNanos);
    }
}
