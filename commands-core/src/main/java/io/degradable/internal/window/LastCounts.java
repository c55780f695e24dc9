package io.degradable.internal.window;

import io.degradable.time.Lane;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.annotation.Nullable;

/**
 * Counts of up to three kinds over the last so many entries, however long ago they were made.
 *
 * <p>Each entry draws a ticket, and the ticket's place in the ring is taken by compare-and-set from a lower ticket only: a
 * writer that was held up for a whole lap finds a later entry there and is not among the last any more. Whoever takes a place
 * adds his kind and takes off the kind that stood there, in one addition to one packed word. So the counts are those of the
 * ring as soon as nobody is writing, and while somebody is they are as if he had not come yet.
 *
 * <p>Threading: every method may be called from any thread; none blocks.
 */
public final class LastCounts implements Window {

    /** The largest window: 800 kB. */
    public static final int MOST = 100_000;

    private static final int KINDS = 3;
    private static final int FIELD_BITS = 21;
    private static final int KIND_BITS = 2;

    // A count may be taken off before it was added, when two writers meet in one place. From the middle of its field it
    // cannot borrow from its neighbour.
    private static final long MIDDLE = 1L << (FIELD_BITS - 1);

    private final AtomicLong nextTicket = new AtomicLong();
    private final AtomicLong counts = new AtomicLong(MIDDLE | (MIDDLE << FIELD_BITS) | (MIDDLE << (2 * FIELD_BITS)));
    private final AtomicLongArray ring; // ticket and kind + 1; 0: nothing yet

    /**
     * An empty window.
     *
     * @param entries how many it looks back at, 1 to {@link #MOST}
     */
    public LastCounts(int entries) {
        if (entries < 1 || entries > MOST) {
            throw new IllegalArgumentException("entries must be 1 to " + MOST + ", was " + entries);
        }
        this.ring = new AtomicLongArray(entries);
    }

    @Override
    public void count(@Nullable Lane lane, int kind, long nowNanos) {
        enter(draw(), kind);
    }

    long draw() {
        return nextTicket.getAndIncrement();
    }

    void enter(long ticket, int kind) {
        int place = (int) (ticket % ring.length());
        long entry = (ticket << KIND_BITS) | (kind + 1);
        while (true) {
            long before = ring.get(place);
            if (before >>> KIND_BITS > ticket) {
                return;
            }
            if (ring.compareAndSet(place, before, entry)) {
                counts.getAndAdd(one(kind) - (before == 0 ? 0 : one((int) (before & KINDS) - 1)));
                return;
            }
        }
    }

    private static long one(int kind) {
        return 1L << (kind * FIELD_BITS);
    }

    @Override
    public long[] sums(long nowNanos) {
        long packed = counts.get();
        long[] sums = new long[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            sums[kind] = countOf(kind, packed);
        }
        return sums;
    }

    @Override
    public long sum(int kind, long nowNanos) {
        return countOf(kind, counts.get());
    }

    private static long countOf(int kind, long packed) {
        long field = (packed >>> (kind * FIELD_BITS)) & ((1L << FIELD_BITS) - 1);
        return Math.max(0, field - MIDDLE);
    }
}
