package io.degradable.internal.window;

/**
 * Picks a share of what happens, evenly: of 1 % every hundredth, and none before that. Threads are counted apart in a few
 * groups, so that they do not wait for each other; two of one group at the same moment may count as one.
 *
 * <p>Threading: every method may be called from any thread.
 */
public final class Sampler {

    private static final int WHOLE = 1_000_000;
    private static final int GROUPS = 8; // a power of two
    private static final int LINE = 16; // ints of a cache line

    private final int share;
    private final int[] saved = new int[GROUPS * LINE];

    /** @param percentage above 0, up to 100 */
    public Sampler(double percentage) {
        this.share = Math.max(1, (int) Math.round(percentage / 100 * WHOLE));
    }

    /** Something has happened. */
    public boolean picks() {
        int mine = (int) (Thread.currentThread().getId() & (GROUPS - 1)) * LINE;
        int now = saved[mine] + share;
        saved[mine] = now < WHOLE ? now : now - WHOLE;
        return now >= WHOLE;
    }
}
