package io.degradable.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls on a pool, one caller, a millisecond apart: what the median takes, and what processor time. A tight loop tells the
 * opposite story about spinning. Blocks of calls take turns, so that the machine's moods meet all alike.
 */
final class MillisecondApart {

    private static final int BLOCKS = 10;
    private static final long APART_NANOS = 1_000_000;

    private MillisecondApart() {}

    private static final class Series {

        private final String name;
        private final Callable<?> call;
        private final long[] nanos;
        private int next;
        private long cpuNanos;

        Series(String name, int calls, Callable<?> call) {
            this.name = name;
            this.call = call;
            this.nanos = new long[calls];
        }

        void block(int calls) throws Exception {
            Map<Long, Long> before = Machine.threadCpu();
            for (int i = 0; i < calls; i++) {
                LockSupport.parkNanos(APART_NANOS);
                long start = System.nanoTime();
                call.call();
                nanos[next++] = System.nanoTime() - start;
            }
            cpuNanos += Machine.threadCpuNanosSince(before);
        }

        double cpuPerCall() {
            return cpuNanos / (double) next;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int calls = Integer.parseInt(arguments[0]);
        try (Peer limit = Peers.LIMIT.make();
                Peer ours = Peers.OURS.make()) {
            Series[] series = {
                new Series("NOTHING", calls, () -> null),
                new Series("LIMIT", calls, limit::successOnPool),
                new Series("OURS", calls, ours::successOnPool)
            };
            for (Series warmed : series) {
                for (int i = 0; i < 5_000; i++) {
                    warmed.call.call();
                }
            }
            for (int block = 0; block < BLOCKS; block++) {
                for (Series one : series) {
                    one.block(calls / BLOCKS);
                }
            }
            Figures figures = new Figures();
            for (Series one : series) {
                Arrays.sort(one.nanos);
                figures.put("apart " + one.name + " p50", one.nanos[calls / 2]);
                figures.put("apart " + one.name + " p99", one.nanos[calls * 99 / 100]);
                figures.put("apart " + one.name + " cpu", one.cpuPerCall() - series[0].cpuPerCall());
            }
            figures.write("apart");
        }
    }
}
