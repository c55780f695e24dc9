package io.degradable.internal.breaker;

import io.degradable.testing.Interleavings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import javax.annotation.Nullable;

/** The permits that each thread of a history holds; it touches its own only. */
final class Held {

    private final List<Queue<Permit>> permits = new ArrayList<>();

    Held() {
        for (int thread = 0; thread <= Interleavings.AFTERWARDS; thread++) {
            permits.add(new ArrayDeque<>());
        }
    }

    /** Keeps a permit, if there is one. */
    boolean add(int thread, @Nullable Permit permit) {
        return permit != null && permits.get(thread).add(permit);
    }

    /** Settles the oldest permit, if there is one. */
    boolean settle(int thread, Verdict verdict, long nowNanos) {
        Permit permit = permits.get(thread).poll();
        if (permit == null) {
            return false;
        }
        permit.settle(verdict, 0, nowNanos);
        return true;
    }
}
