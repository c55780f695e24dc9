package io.degradable.bench;

import io.degradable.model.CallOutcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** What the soak has seen, line by line in a file, and whether it stayed flat. */
final class SoakRecord implements AutoCloseable {

    /**
     * What must not grow. The rule: the median of the last quarter is at most the median of the second, and a share of it on
     * top, and something for what comes and goes in steps. The first quarter is for warming up.
     */
    enum Gauge {
        /** What is reachable after a collection, not at each moment. */
        HEAP_KB(0.05, 1_024),
        /** Of the JVM. */
        THREADS(0.1, 4),
        /** Whose name says that they are the library's. */
        LIBRARY_THREADS(0.1, 4),
        /** Set, and neither gone off nor taken back. */
        ALARMS(0.1, 10),
        OPEN_FILES(0, 3),
        IN_FLIGHT(0.1, 10),
        /** Bodies whose caller has gone. */
        ORPHANS(0.1, 10),
        /** Commands known. */
        NAMES(0.1, 10),
        METERS(0.1, 500);

        private final double share;
        private final double steps;

        Gauge(double share, double steps) {
            this.share = share;
            this.steps = steps;
        }
    }

    private final PrintWriter file;
    private final List<Map<Gauge, Double>> moments = new ArrayList<>();

    SoakRecord(Path path) throws IOException {
        Files.createDirectories(path.getParent());
        file = new PrintWriter(Files.newBufferedWriter(path), true);
        StringJoiner header = new StringJoiner(",").add("moment");
        for (CallOutcome outcome : CallOutcome.values()) {
            header.add(outcome.tag());
        }
        header.add("left").add("cpu_percent");
        for (Gauge gauge : Gauge.values()) {
            header.add(gauge.name().toLowerCase(Locale.ROOT));
        }
        file.println(header);
    }

    /**
     * A moment.
     *
     * @param seen calls that have ended since the start, by outcome
     * @param left those whose end nobody waited for
     * @param cpuPercent what the process has used of a core since the last moment
     * @param gauges what was measured; those that were not leave their column empty
     */
    void add(SoakCounts seen, long left, double cpuPercent, Map<Gauge, Double> gauges) {
        StringJoiner line = new StringJoiner(",").add(Instant.now().toString());
        for (CallOutcome outcome : CallOutcome.values()) {
            line.add(Long.toString(seen.of(outcome)));
        }
        line.add(Long.toString(left)).add(Long.toString(Math.round(cpuPercent)));
        for (Gauge gauge : Gauge.values()) {
            Double value = gauges.get(gauge);
            line.add(value == null ? "" : Long.toString(Math.round(value)));
        }
        file.println(line);
        moments.add(new EnumMap<>(gauges));
    }

    /** Whether a rule holds; says so here and in the file. */
    boolean rule(String what, boolean holds) {
        say((holds ? "holds:  " : "BROKEN: ") + what);
        return holds;
    }

    void say(String line) {
        System.out.println(line);
        file.println("# " + line);
    }

    /** Whether nothing has grown. */
    boolean isFlat() {
        boolean flat = true;
        int all = moments.size();
        for (Gauge gauge : Gauge.values()) {
            double before = median(moments.subList(all / 4, all / 2), gauge);
            double after = median(moments.subList(all - all / 4, all), gauge);
            String what = String.format(
                    Locale.ROOT,
                    "%s flat: median of the second quarter %.0f, of the last %.0f, at most %.0f %% + %.0f more",
                    gauge.name().toLowerCase(Locale.ROOT),
                    before,
                    after,
                    gauge.share * 100,
                    gauge.steps);
            // Also broken by NaN: what was never measured is not known to be flat.
            flat &= rule(what, after <= before * (1 + gauge.share) + gauge.steps);
        }
        return flat;
    }

    private static double median(List<Map<Gauge, Double>> moments, Gauge gauge) {
        double[] values = moments.stream()
                .filter(moment -> moment.containsKey(gauge))
                .mapToDouble(moment -> moment.get(gauge))
                .sorted()
                .toArray();
        return values.length == 0 ? Double.NaN : (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }

    @Override
    public void close() {
        file.close();
    }
}
