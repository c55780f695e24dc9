package io.degradable.internal.window;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * One count for each constant of an enum, since the start. A constant that never occurs costs a reference.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class EnumCounts<E extends Enum<E>> {

    private final AtomicReferenceArray<LongAdder> counts;

    public EnumCounts(Class<E> type) {
        this.counts = new AtomicReferenceArray<>(type.getEnumConstants().length);
    }

    public void increment(E constant) {
        add(constant, 1);
    }

    public void add(E constant, long amount) {
        LongAdder count = counts.get(constant.ordinal());
        (count == null ? make(constant.ordinal()) : count).add(amount);
    }

    private LongAdder make(int place) {
        counts.compareAndSet(place, null, new LongAdder());
        return counts.get(place);
    }

    public long get(E constant) {
        LongAdder count = counts.get(constant.ordinal());
        return count == null ? 0 : count.sum();
    }

    public long total() {
        long total = 0;
        for (int place = 0; place < counts.length(); place++) {
            LongAdder count = counts.get(place);
            total += count == null ? 0 : count.sum();
        }
        return total;
    }
}
