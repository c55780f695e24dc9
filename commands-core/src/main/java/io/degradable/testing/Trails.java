package io.degradable.testing;

import io.degradable.model.StageReport;
import java.util.List;

/** Trails for messages. */
final class Trails {

    private Trails() {}

    /** A line for each stage, each begun by a line break. */
    static String lines(List<StageReport> trail) {
        StringBuilder lines = new StringBuilder();
        trail.forEach(report -> lines.append("\n    ").append(report));
        return lines.toString();
    }
}
