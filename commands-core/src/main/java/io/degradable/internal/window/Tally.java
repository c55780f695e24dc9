package io.degradable.internal.window;

import io.degradable.time.Lane;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.annotation.Nullable;

/**
 * Counts of several kinds, since the start and over the last while. To count is one addition: the counts only grow, and what
 * they were when each stretch of time began is marked for as many stretches as the window has. The recent counts are those of
 * now less those of the oldest mark in the window.
 *
 * <p>A stretch is marked by the first who counts in it, before he does, so idleness costs nothing and is forgotten all the
 * same. Whoever counts in a stretch finds it marked or marks it himself; of several the first mark stands. A count is thus
 * never taken for one from before its stretch.
 *
 * <p>Threading: every method may be called from any thread; none blocks.
 */
public final class Tally implements Window {

    /** What the counts were when a stretch began; kinds that had none are left out. */
    private static final class Mark {

        final long stretch;

        /** Each kind and its count, in the order of kinds. */
        final long[] counts;

        Mark(long stretch, long[] all) {
            int used = 0;
            for (long count : all) {
                used += count == 0 ? 0 : 1;
            }
            this.stretch = stretch;
            this.counts = new long[2 * used];
            int place = 0;
            for (int kind = 0; kind < all.length; kind++) {
                if (all[kind] != 0) {
                    counts[place] = kind;
                    counts[place + 1] = all[kind];
                    place += 2;
                }
            }
        }

        void subtractFrom(long[] sums) {
            for (int place = 0; place < counts.length; place += 2) {
                sums[(int) counts[place]] -= counts[place + 1];
            }
        }

        long countOf(int kind) {
            for (int place = 0; place < counts.length && counts[place] <= kind; place += 2) {
                if (counts[place] == kind) {
                    return counts[place + 1];
                }
            }
            return 0;
        }
    }

    private final Cells counts;
    private final long originNanos;
    private final long stretchNanos;
    private final AtomicReferenceArray<Mark> marks;

    /** When the stretch that was marked last is over. */
    private volatile long turnNanos;

    /** What is looked back from in the stretch that was marked last, so that readers need not search for it. */
    private volatile Base base;

    /**
     * The oldest mark in the window of a stretch.
     *
     * @param fromNanos when the stretch begins
     * @param mark null when nothing was counted since
     */
    private record Base(long fromNanos, @Nullable Mark mark) {}

    /**
     * Nothing counted yet.
     *
     * @param kinds how many counts are kept apart; one that never occurs costs a reference
     * @param window what is looked back at
     * @param stretches how many parts it moves by; at least 2, and the window must divide
     * @param nowNanos the moment the window begins to fill
     */
    public Tally(int kinds, Duration window, int stretches, long nowNanos) {
        if (stretches < 2 || window.toNanos() % stretches != 0) {
            throw new IllegalArgumentException(
                    "window of " + window + " does not divide into " + stretches + " stretches");
        }
        this.counts = new Cells(kinds);
        this.originNanos = nowNanos;
        this.stretchNanos = window.toNanos() / stretches;
        this.marks = new AtomicReferenceArray<>(stretches);
        this.turnNanos = nowNanos;
        this.base = new Base(nowNanos, null);
    }

    @Override
    public void count(@Nullable Lane lane, int kind, long nowNanos) {
        add(lane, kind, 1, nowNanos);
    }

    /** Adds to one kind, at a moment; one that is over already counts as now. */
    public void add(@Nullable Lane lane, int kind, long amount, long nowNanos) {
        if (nowNanos - turnNanos >= 0) {
            turn(stretchOf(nowNanos));
        }
        counts.add(lane, kind, amount);
    }

    private void turn(long stretch) {
        int place = placeOf(stretch);
        Mark held = marks.get(place);
        while (held == null || held.stretch < stretch) {
            if (marks.compareAndSet(place, held, new Mark(stretch, counts.sums()))) {
                break;
            }
            held = marks.get(place);
        }
        base = new Base(originNanos + stretch * stretchNanos, oldestIn(stretch));
        // Not before the mark is there. A slower thread may set it back: then the next one finds the mark, and sets it
        // anew.
        turnNanos = originNanos + (stretch + 1) * stretchNanos;
    }

    /** One count since the start. */
    public long total(int kind) {
        return counts.sum(kind);
    }

    /** All counts since the start. */
    public long[] totals() {
        return counts.sums();
    }

    /** All counts over the window that ends now. */
    @Override
    public long[] sums(long nowNanos) {
        Mark before = before(nowNanos);
        if (before == null) {
            return new long[counts.kinds()];
        }
        long[] sums = totals();
        before.subtractFrom(sums);
        return sums;
    }

    @Override
    public long sum(int kind, long nowNanos) {
        Mark before = before(nowNanos);
        return before == null ? 0 : counts.sum(kind) - before.countOf(kind);
    }

    private @Nullable Mark before(long nowNanos) {
        Base known = base;
        long since = nowNanos - known.fromNanos;
        return 0 <= since && since < stretchNanos ? known.mark : oldestIn(stretchOf(nowNanos));
    }

    /** The oldest mark in the window of a stretch; null when nothing was counted in it. */
    private @Nullable Mark oldestIn(long stretch) {
        long first = stretch - marks.length() + 1;
        Mark oldest = null;
        for (int place = 0; place < marks.length(); place++) {
            Mark mark = marks.get(place);
            if (mark != null && mark.stretch >= first && (oldest == null || mark.stretch < oldest.stretch)) {
                oldest = mark;
            }
        }
        return oldest;
    }

    private int placeOf(long stretch) {
        return (int) Math.floorMod(stretch, (long) marks.length());
    }

    private long stretchOf(long nowNanos) {
        return Math.floorDiv(nowNanos - originNanos, stretchNanos);
    }
}
