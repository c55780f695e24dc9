package io.degradable.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** What this JVM has used up. */
final class Machine {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Machine() {}

    /** Processor time of each Java thread, without compiler and collector; good to less than a microsecond. */
    static Map<Long, Long> threadCpu() {
        long[] ids = THREADS.getAllThreadIds();
        long[] nanos = THREADS.getThreadCpuTime(ids);
        Map<Long, Long> times = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            times.put(ids[i], Math.max(0, nanos[i])); // negative when it has ended meanwhile
        }
        return times;
    }

    /** What has been used since, by the threads that are alive; what a thread used that has ended is lost. */
    static long threadCpuNanosSince(Map<Long, Long> before) {
        long sum = 0;
        for (Map.Entry<Long, Long> thread : threadCpu().entrySet()) {
            sum += Math.max(0, thread.getValue() - before.getOrDefault(thread.getKey(), 0L));
        }
        return sum;
    }

    /** Processor time of the process, all threads; good to ten milliseconds. */
    static long cpuNanos() {
        return SYSTEM.getProcessCpuTime();
    }

    /** Bytes that the threads which are alive have allocated. */
    static long allocatedBytes() {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    /** What is reachable. */
    static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int turn = 0; turn < 4; turn++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** The names of threads that are alive; virtual ones are not among them. */
    static List<String> threads(Predicate<String> which) {
        return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(Objects::nonNull) // it has ended meanwhile
                .map(ThreadInfo::getThreadName)
                .filter(which)
                .sorted()
                .toList();
    }

    /** File descriptors of this process; -1 where the system does not tell. */
    static long openFiles() {
        return SYSTEM instanceof UnixOperatingSystemMXBean unix ? unix.getOpenFileDescriptorCount() : -1;
    }

    /** Runnable threads of the whole machine, over the last minute. */
    static double load() {
        return SYSTEM.getSystemLoadAverage();
    }

    static String describe() {
        return SYSTEM.getAvailableProcessors() + " processors, " + System.getProperty("os.arch") + ", "
                + System.getProperty("java.vm.name") + " " + Runtime.version();
    }
}
