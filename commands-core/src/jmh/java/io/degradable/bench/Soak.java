package io.degradable.bench;

import io.degradable.bench.SoakRecord.Gauge;
import io.degradable.model.CallOutcome;
import io.degradable.state.CommandView;
import io.degradable.state.StageView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Mixed load for an hour, with failures, late peaks and hands on breakers and bulkheads, and whether anything grows: heap,
 * threads, alarms, open files. At the end no call may be in flight or have been miscounted, and no thread may be left.
 */
final class Soak {

    private static final Duration SHORTEST = Duration.ofMinutes(2);
    private static final long LONGEST_BETWEEN_MOMENTS_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int FEWEST_MOMENTS = 36;

    /** Looking at the heap collects it, which is a peak of latency of its own. */
    private static final int MOMENTS_FOR_EACH_HEAP = 3;

    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** Less than the ten seconds after which threads of the library end by themselves for want of work. */
    private static final long CLOSED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SoakLoad load = new SoakLoad();
    private final SoakRecord record;
    private final Duration length;

    private Soak(SoakRecord record, Duration length) {
        this.record = record;
        this.length = length;
    }

    /**
     * The soak.
     *
     * @param length at least two minutes: what is kept for one minute has to be full in the second quarter
     * @return whether every rule holds
     */
    static boolean run(Duration length) throws Exception {
        if (length.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("the soak takes at least " + SHORTEST + ", was " + length);
        }
        Path path = Figures.root().resolve("commands-core/target/soak.csv");
        System.out.println("# Soak of " + length + ", " + Machine.describe() + ", into " + path);
        try (SoakRecord record = new SoakRecord(path)) {
            boolean held = new Soak(record, length).run();
            record.say(
                    (held ? "Every rule holds" : "A rule is BROKEN") + " after " + length + "; all figures in " + path);
            return held;
        }
    }

    private boolean run() throws Exception {
        load.begin();
        watch();
        boolean held = record.isFlat();
        held &= record.rule("the load has ended", load.end());
        // Booked by its caller a moment after the library has.
        await(
                () -> inFlight() == 0
                        && orphans() == 0
                        && seen() == load.counted().all()
                        && load.alarms.waiting() == 0,
                REST_NANOS);
        held &= record.rule("nothing is in flight: " + inFlight(), inFlight() == 0);
        held &= record.rule("no body runs: " + orphans(), orphans() == 0);
        held &= record.rule("no alarm waits: " + load.alarms.waiting(), load.alarms.waiting() == 0);
        SoakCounts counted = load.counted();
        SoakCounts followed = load.countedAndFollowed();
        load.close();
        held &= areSame(counted);
        held &= areHeard(followed);
        held &= record.rule("nothing unexpected: " + load.surprise.get(), load.surprise.get() == null);
        held &= record.rule(
                "no listener's mistake: " + load.commands.listenerMistakes(), load.commands.listenerMistakes() == 0);
        await(() -> Machine.threads(Soak::isOfLibrary).isEmpty(), CLOSED_NANOS);
        List<String> threads = Machine.threads(Soak::isOfLibrary);
        return held & record.rule("no thread is left: " + threads, threads.isEmpty());
    }

    private static boolean isOfLibrary(String thread) {
        return thread.startsWith("degradable-");
    }

    // ---- moments ----

    private void watch() {
        long between = Math.min(LONGEST_BETWEEN_MOMENTS_NANOS, length.toNanos() / FEWEST_MOMENTS);
        long start = System.nanoTime();
        long cpuBefore = Machine.cpuNanos();
        long before = start;
        for (int moment = 1; moment * between <= length.toNanos(); moment++) {
            parkUntil(start + moment * between);
            Map<Gauge, Double> gauges = gauges();
            long cpu = Machine.cpuNanos();
            long now = System.nanoTime();
            if (moment % MOMENTS_FOR_EACH_HEAP == 0) {
                gauges.put(Gauge.HEAP_KB, Machine.usedHeap() / 1024.0);
            }
            record.add(load.seen, load.left.sum(), 100.0 * (cpu - cpuBefore) / (now - before), gauges);
            cpuBefore = cpu;
            before = now;
        }
    }

    private Map<Gauge, Double> gauges() {
        Map<Gauge, Double> gauges = new EnumMap<>(Gauge.class);
        gauges.put(Gauge.THREADS, (double) Machine.threads(name -> true).size());
        gauges.put(Gauge.LIBRARY_THREADS, (double)
                Machine.threads(Soak::isOfLibrary).size());
        gauges.put(Gauge.ALARMS, (double) load.alarms.waiting());
        gauges.put(Gauge.OPEN_FILES, (double) Machine.openFiles());
        gauges.put(Gauge.IN_FLIGHT, (double) inFlight());
        gauges.put(Gauge.ORPHANS, (double) orphans());
        gauges.put(Gauge.NAMES, (double) load.known().size());
        gauges.put(Gauge.METERS, (double) load.meters.getMeters().size());
        return gauges;
    }

    private long inFlight() {
        return load.known().stream().mapToLong(CommandView::inFlight).sum();
    }

    private long orphans() {
        return load.known().stream()
                .flatMap(command -> command.stages().stream())
                .mapToLong(StageView::orphans)
                .sum();
    }

    // ---- sums ----

    private long seen() {
        return load.seen.all() + load.left.sum();
    }

    /** Whether the library has counted what the callers have seen. */
    private boolean areSame(SoakCounts counted) {
        boolean same = record.rule("calls made " + seen() + ", counted " + counted.all(), seen() == counted.all());
        for (String group : counted.groups()) {
            boolean isLeft = group.equals("left");
            boolean equal = load.seen.of(group) + (isLeft ? load.left.sum() : 0) == counted.of(group);
            for (CallOutcome outcome : CallOutcome.values()) {
                long seen = load.seen.of(group, outcome);
                // Nobody knows how those ended that nobody waited for.
                equal &= isLeft ? seen <= counted.of(group, outcome) : seen == counted.of(group, outcome);
            }
            same &= record.rule(group + ": " + counted.text(group), equal);
            if (!equal) {
                record.say("        its callers saw " + load.seen.text(group)
                        + (isLeft ? ", and left " + load.left.sum() : ""));
            }
        }
        return same;
    }

    /** Whether the listener has heard of every call, but for what was dropped and counted. */
    private boolean areHeard(SoakCounts counted) {
        long dropped = load.commands.droppedEvents();
        boolean same = counted.all() - load.heard.all() <= dropped;
        for (CallOutcome outcome : CallOutcome.values()) {
            long missing = counted.of(outcome) - load.heard.of(outcome);
            same &= missing >= 0 && missing <= dropped;
        }
        return record.rule("heard of " + load.heard.all() + " of them, events dropped " + dropped, same);
    }

    // ----

    private static void await(BooleanSupplier rest, long nanos) {
        long until = System.nanoTime() + nanos;
        while (!rest.getAsBoolean() && until - System.nanoTime() > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static void parkUntil(long nanos) {
        while (nanos - System.nanoTime() > 0) {
            LockSupport.parkNanos(nanos - System.nanoTime());
        }
    }
}
