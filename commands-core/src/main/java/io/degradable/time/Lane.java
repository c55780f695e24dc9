package io.degradable.time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import javax.annotation.Nullable;

/**
 * A place that one thread at a time holds while it runs a command from end to end by itself; for the library's own use. A
 * thread finds its lane by its id, so what belongs to its run needs no thread-local; and whoever holds a lane is alone in
 * it, so what is kept for a lane (its counts, its record of a call) needs no atomic operation and no object per call.
 *
 * <p>There are a few lanes for each processor. A thread whose lane is held by another one goes without, as does a run
 * inside a run: a lane makes a run cheap, and changes nothing else about it.
 *
 * <p>Threading: {@link #enter()} may be called from any thread; everything else belongs to the holder.
 */
public final class Lane extends LanePadding {

    private static final Lane[] LANES = new Lane[count()];
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(Lane.class, "holder", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        for (int index = 0; index < LANES.length; index++) {
            LANES[index] = new Lane(index);
        }
    }

    private final int index;

    /**
     * Who holds it; setting it to null lets go of it. A bare field, for who is at the end of its stack and can call nothing.
     */
    public volatile @Nullable Thread holder;

    // Of the body that the holder runs.
    private boolean inBody;
    private long limitNanos;

    /** The ticker the limit is a reading of; null for that of the system, which is not worth a write. */
    private @Nullable Ticker ticker;

    /** Made when the body asks for it, or begins another run. */
    private @Nullable Deadline own;

    /** Holds instead, while something inside the body goes on. */
    private @Nullable Deadline inner;

    private Lane(int index) {
        this.index = index;
    }

    private static int count() {
        int perProcessor = 4 * Runtime.getRuntime().availableProcessors();
        return Integer.highestOneBit(Math.min(256, Math.max(16, 2 * perProcessor - 1)));
    }

    /** How many there are. */
    public static int lanes() {
        return LANES.length;
    }

    /** Its number, from 0 on. */
    public int index() {
        return index;
    }

    /** The lane of the calling thread, which now holds it; null when it is held, or when the thread is inside a run already. */
    public static @Nullable Lane enter() {
        Thread self = Thread.currentThread();
        Lane lane = LANES[(int) self.getId() & (LANES.length - 1)];
        return lane.holder == null && !Deadline.isInside(self) && HOLDER.compareAndSet(lane, null, self) ? lane : null;
    }

    /** The lane that the thread holds, if any. */
    static @Nullable Lane of(Thread thread) {
        Lane lane = LANES[(int) thread.getId() & (LANES.length - 1)];
        return lane.holder == thread ? lane : null;
    }

    /** A body begins, which has this limit. */
    public void bodyBegins(Ticker clock, long untilNanos) {
        clear(); // a holder before may have been at the end of his stack, and not have come to it
        if (clock != SystemTicker.INSTANCE) {
            ticker = clock;
        }
        limitNanos = untilNanos;
        inBody = true;
    }

    /**
     * The body has ended.
     *
     * @return its deadline, if somebody has asked for it
     */
    public @Nullable Deadline bodyEnds() {
        Deadline asked = own;
        if (asked != null) {
            asked.bodyHasEnded = true;
        }
        inBody = false;
        clear();
        return asked;
    }

    /** Reads before it writes: most often there is nothing to clear. */
    private void clear() {
        if (own != null) {
            own = null;
        }
        if (inner != null) {
            inner = null;
        }
        if (ticker != null) {
            ticker = null;
        }
    }

    /** The deadline on the holder's thread. */
    Deadline deadline() {
        if (inner != null) {
            return inner;
        }
        if (own == null && inBody) {
            Ticker clock = ticker == null ? SystemTicker.INSTANCE : ticker;
            own = Deadline.ofBody(clock, limitNanos, Deadline.NONE, null);
        }
        return own == null ? Deadline.NONE : own;
    }

    /** Sets another one. */
    void deadline(Deadline instead) {
        inner = instead == own ? null : instead;
    }
}
