package io.degradable.testing;

import io.degradable.model.StageReport;
import java.util.List;
import java.util.Locale;

/** Trails as tests say them, and for messages. */
final class Trails {

    private Trails() {}

    /** Whether each stage did what the test says, in {@link #coarse} or in {@link #fine} words, and no other was there. */
    static boolean match(List<StageReport> trail, String... expected) {
        boolean same = trail.size() == expected.length;
        for (int i = 0; same && i < expected.length; i++) {
            same = expected[i].equals(coarse(trail.get(i))) || expected[i].equals(fine(trail.get(i)));
        }
        return same;
    }

    /** All of it, in fine words. */
    static List<String> words(List<StageReport> trail) {
        return trail.stream().map(Trails::fine).toList();
    }

    private static String coarse(StageReport report) {
        return report.stage() + ": "
                + report.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String fine(StageReport report) {
        return coarse(report) + " (" + report.reason().text() + ")";
    }

    /** A line for each stage, each begun by a line break. */
    static String lines(List<StageReport> trail) {
        StringBuilder lines = new StringBuilder();
        trail.forEach(report -> lines.append("\n    ").append(report));
        return lines.toString();
    }
}
