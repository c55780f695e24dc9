package io.degradable.internal.window;

import io.degradable.time.Lane;
import javax.annotation.Nullable;

/**
 * One count for each constant of an enum, since the start. A constant that never occurs costs a reference.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class EnumCounts<E extends Enum<E>> {

    private final Cells counts;

    public EnumCounts(Class<E> type) {
        this.counts = new Cells(type.getEnumConstants().length);
    }

    /**
     * Counts one more.
     *
     * @param lane what the calling thread holds; null when it holds none
     */
    public void increment(@Nullable Lane lane, E constant) {
        counts.add(lane, constant.ordinal(), 1);
    }

    /** The same for who holds no lane. */
    public void increment(E constant) {
        increment(null, constant);
    }

    public long get(E constant) {
        return counts.sum(constant.ordinal());
    }

    public long total() {
        long total = 0;
        for (int place = 0; place < counts.kinds(); place++) {
            total += counts.sum(place);
        }
        return total;
    }
}
