package io.degradable.bench;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What processor time names take that nobody calls, in percent of one core, compiler left out. */
final class IdleNames {

    private static final long SETTLE_NANOS = 3_000_000_000L;
    private static final long WATCH_NANOS = 8_000_000_000L;

    private IdleNames() {}

    public static void main(String[] arguments) throws Exception {
        Names.Kind kind = Names.Kind.valueOf(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        Names names = new Names(kind, count);
        names.traffic(1);
        parkFor(SETTLE_NANOS);

        Map<Long, Long> before = Machine.threadCpu();
        long start = System.nanoTime();
        parkFor(WATCH_NANOS);
        double percent = 100.0 * Machine.threadCpuNanosSince(before) / (System.nanoTime() - start);

        Figures figures = new Figures();
        figures.put("idle " + kind + " " + count + " percent", percent);
        figures.write("idle-" + kind);
        System.exit(names.all.size() == count ? 0 : 1);
    }

    private static void parkFor(long nanos) {
        long until = System.nanoTime() + nanos;
        while (until - System.nanoTime() > 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
