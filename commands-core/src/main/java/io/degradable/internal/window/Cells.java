package io.degradable.internal.window;

import io.degradable.time.Lane;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import javax.annotation.Nullable;

/**
 * Sums of several kinds that are only added to. Whoever holds a lane adds to sums that are the lane's own, with plain reads
 * and writes; all others add to shared ones. The sums of a lane are made when they are first used, eight kinds at a time, so
 * kinds that occur together should be neighbours; a kind that never occurs costs a reference.
 *
 * <p>Threading: every method may be called from any thread; none blocks. An addition is seen by whoever sees what its thread
 * did afterwards.
 */
final class Cells {

    private static final VarHandle SUM = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle GROUP = MethodHandles.arrayElementVarHandle(long[][].class);

    /** Before the sums, so that those of one lane do not share a line of the processor's cache with another's. */
    private static final int PADDING = 8;

    private static final int TOGETHER = 8;

    private static final Own[] NONE = {};

    /** The sums of one lane: groups of eight, made when they are first used. */
    private static final class Own {

        private final long[][] groups;

        Own(int kinds) {
            this.groups = new long[(kinds + TOGETHER - 1) / TOGETHER][];
        }

        /** Only by who holds the lane, so what is read here needs no care. */
        void add(int kind, long amount) {
            int group = kind / TOGETHER;
            long[] sums = groups[group];
            if (sums == null) {
                sums = new long[PADDING + TOGETHER];
                GROUP.setRelease(groups, group, sums);
            }
            int place = PADDING + kind % TOGETHER;
            SUM.setRelease(sums, place, sums[place] + amount);
        }

        long sum(int kind) {
            long[] sums = (long[]) GROUP.getAcquire(groups, kind / TOGETHER);
            return sums == null ? 0 : (long) SUM.getAcquire(sums, PADDING + kind % TOGETHER);
        }
    }

    private final int kinds;

    /** Made by the first who holds no lane; in many commands nobody ever does. */
    private final AtomicReference<AtomicReferenceArray<LongAdder>> shared = new AtomicReference<>();

    /** By lane; each place is read and written by who holds it. */
    private final Own[] lanes = new Own[Lane.lanes()];

    /** Those of the lanes that have sums here, for who adds them up: most often a few of many. */
    private final AtomicReference<Own[]> inUse = new AtomicReference<>(NONE);

    Cells(int kinds) {
        this.kinds = kinds;
    }

    int kinds() {
        return kinds;
    }

    /**
     * Adds to one kind.
     *
     * @param lane what the calling thread holds
     */
    void add(@Nullable Lane lane, int kind, long amount) {
        if (lane == null) {
            addShared(kind, amount);
            return;
        }
        Own own = lanes[lane.index()];
        (own == null ? makeOwn(lane.index()) : own).add(kind, amount);
    }

    private void addShared(int kind, long amount) {
        AtomicReferenceArray<LongAdder> sums = shared.get();
        if (sums == null) {
            shared.compareAndSet(null, new AtomicReferenceArray<>(kinds));
            sums = Objects.requireNonNull(shared.get());
        }
        LongAdder sum = sums.get(kind);
        if (sum == null) {
            sums.compareAndSet(kind, null, new LongAdder());
            sum = sums.get(kind);
        }
        sum.add(amount);
    }

    private Own makeOwn(int lane) {
        Own own = new Own(kinds());
        Own[] before;
        Own[] more;
        do { // no lambda: to link one takes stack
            before = Objects.requireNonNull(inUse.get());
            more = Arrays.copyOf(before, before.length + 1);
            more[before.length] = own;
        } while (!inUse.compareAndSet(before, more));
        // Not before: if the stack or the memory ends in between, it would be added to and never seen.
        lanes[lane] = own;
        return own;
    }

    long sum(int kind) {
        AtomicReferenceArray<LongAdder> others = shared.get();
        LongAdder other = others == null ? null : others.get(kind);
        long sum = other == null ? 0 : other.sum();
        for (Own own : Objects.requireNonNull(inUse.get())) {
            sum += own.sum(kind);
        }
        return sum;
    }

    long[] sums() {
        long[] sums = new long[kinds()];
        for (int kind = 0; kind < sums.length; kind++) {
            sums[kind] = sum(kind);
        }
        return sums;
    }
}
