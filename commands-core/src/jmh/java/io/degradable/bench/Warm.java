package io.degradable.bench;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Runs a benchmark until the compiler has had nothing to do for a while. A fixed time is too short for it on a machine that
 * others load, and then half compiled code is measured, several times slower.
 */
final class Warm {

    private static final long WINDOW_NANOS = 500_000_000L;
    private static final long AT_MOST_NANOS = 4_000_000_000L;

    /** What collector and compiler may take in a quiet window. */
    private static final double QUIET_SHARE = 0.1;

    private Warm() {}

    /**
     * Warms the benchmark that is to be run.
     *
     * @param benchmark an instance of its class
     * @param states what its method takes
     */
    static void up(BenchmarkParams run, Object benchmark, Object... states) throws Exception {
        String name = run.getBenchmark().substring(run.getBenchmark().lastIndexOf('.') + 1);
        Method method = Arrays.stream(benchmark.getClass().getMethods())
                .filter(candidate -> candidate.getName().equals(name))
                .findFirst()
                .orElseThrow();
        long begin = System.nanoTime();
        boolean quiet = false;
        while (!quiet && System.nanoTime() - begin < AT_MOST_NANOS) {
            Map<Long, Long> threads = Machine.threadCpu();
            long all = Machine.cpuNanos();
            long start = System.nanoTime();
            while (System.nanoTime() - start < WINDOW_NANOS) {
                method.invoke(benchmark, states);
            }
            // A long compilation shows nowhere until it ends, but the processor time it takes does: it is no Java
            // thread's.
            double used = Machine.cpuNanos() - all;
            double others = used - Machine.threadCpuNanosSince(threads);
            quiet = others < used * QUIET_SHARE;
        }
    }
}
