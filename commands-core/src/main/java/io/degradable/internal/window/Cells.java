package io.degradable.internal.window;

import io.degradable.time.Lane;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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

    /** Before the sums, so that those of one lane do not share a line of the processor's cache with another's. */
    private static final int PADDING = 8;

    private static final int TOGETHER = 8;

    private final AtomicReferenceArray<LongAdder> shared;
    private final AtomicReferenceArray<AtomicReferenceArray<long[]>> lanes;

    Cells(int kinds) {
        this.shared = new AtomicReferenceArray<>(kinds);
        this.lanes = new AtomicReferenceArray<>(Lane.lanes());
    }

    int kinds() {
        return shared.length();
    }

    /**
     * Adds to one kind.
     *
     * @param lane what the calling thread holds
     */
    void add(@Nullable Lane lane, int kind, long amount) {
        if (lane == null) {
            LongAdder sum = shared.get(kind);
            (sum == null ? makeShared(kind) : sum).add(amount);
            return;
        }
        AtomicReferenceArray<long[]> own = lanes.get(lane.index());
        long[] sums = own == null ? null : own.get(kind / TOGETHER);
        if (sums == null) {
            sums = makeOwn(lane.index(), kind / TOGETHER);
        }
        int place = PADDING + kind % TOGETHER;
        SUM.setRelease(sums, place, (long) SUM.get(sums, place) + amount);
    }

    private LongAdder makeShared(int kind) {
        shared.compareAndSet(kind, null, new LongAdder());
        return shared.get(kind);
    }

    private long[] makeOwn(int lane, int group) {
        AtomicReferenceArray<long[]> own = lanes.get(lane);
        if (own == null) {
            own = new AtomicReferenceArray<>((kinds() + TOGETHER - 1) / TOGETHER);
            lanes.set(lane, own); // nobody else holds the lane
        }
        long[] sums = new long[PADDING + TOGETHER];
        own.set(group, sums);
        return sums;
    }

    long sum(int kind) {
        LongAdder others = shared.get(kind);
        long sum = others == null ? 0 : others.sum();
        for (int lane = 0; lane < lanes.length(); lane++) {
            long[] own = own(lane, kind);
            if (own != null) {
                sum += (long) SUM.getAcquire(own, PADDING + kind % TOGETHER);
            }
        }
        return sum;
    }

    private @Nullable long[] own(int lane, int kind) {
        AtomicReferenceArray<long[]> own = lanes.get(lane);
        return own == null ? null : own.get(kind / TOGETHER);
    }

    long[] sums() {
        long[] sums = new long[kinds()];
        for (int kind = 0; kind < sums.length; kind++) {
            sums[kind] = sum(kind);
        }
        return sums;
    }
}
