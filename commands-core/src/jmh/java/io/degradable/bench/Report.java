package io.degradable.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Writes what was measured into {@code docs/performance.md}, between two comments, and prints it. */
final class Report {

    private static final String BEGIN = "<!-- begin: written by the benchmarks -->";
    private static final String END = "<!-- end: written by the benchmarks -->";
    private static final String[][] PATHS = {
        {"success", "success on the caller's thread"},
        {"failureThenStatic", "failure, then a static value"},
        {"failureThenRead", "failure, then a Caffeine read"},
        {"openThenStatic", "breaker open, then a static value"}
    };

    private final Figures figures;
    private final List<String> lines = new ArrayList<>();

    private Report(Figures figures) {
        this.figures = figures;
    }

    static void write(String form, double loadBefore) throws IOException {
        Figures figures = Figures.read();
        if (figures.isEmpty()) {
            throw new IllegalStateException("nothing was measured here: run the short form before the table");
        }
        Report report = new Report(figures);
        report.lines.add(String.format(
                "%s, form `%s`, %s. Load of the machine %.1f before and %.1f after.",
                LocalDate.now(), form, Machine.describe(), loadBefore, Machine.load()));
        report.goals();
        report.calls();
        report.lines.forEach(System.out::println);

        Path page = Figures.root().resolve("docs/performance.md");
        String text = Files.readString(page);
        int from = text.indexOf(BEGIN);
        int to = text.indexOf(END);
        if (from < 0 || to < from) {
            throw new IllegalStateException(page + " lacks the comments between which the tables stand");
        }
        Files.writeString(
                page,
                text.substring(0, from + BEGIN.length()) + "\n\n" + String.join("\n", report.lines) + "\n\n"
                        + text.substring(to));
    }

    private void goals() {
        lines.add("");
        lines.add("| goal | what | at most | measured | |");
        lines.add("|---|---|---|---|---|");
        for (Goals.Line line : Goals.lines(figures)) {
            lines.add("| " + line.goal() + " | " + line.what() + " | " + line.atMost() + " | " + line.measured() + " | "
                    + line.verdict() + " |");
        }
    }

    private void calls() {
        lines.add("");
        lines.add("ns per call at 1 / 2 / 8 threads (processor time; on a pool, time on the wall), p99 and p99.9 at 1"
                + " thread on the wall, bytes per call:");
        lines.add("");
        StringBuilder head = new StringBuilder("| path |");
        StringBuilder rule = new StringBuilder("|---|");
        for (Peers peer : Peers.values()) {
            head.append(' ').append(peer).append(" |");
            rule.append("---|");
        }
        lines.add(head.toString());
        lines.add(rule.toString());
        for (String[] path : PATHS) {
            StringBuilder row = new StringBuilder("| ").append(path[1]).append(" |");
            for (Peers peer : Peers.values()) {
                row.append(' ')
                        .append(cell("CallerThread." + path[0] + "/" + peer + "@", 1, 2, 8))
                        .append(" |");
            }
            lines.add(row.toString());
        }
        StringBuilder row = new StringBuilder("| success on a pool, 8 callers |");
        for (Peers peer : Peers.values()) {
            row.append(' ').append(cell("Pool.success/" + peer + "@", 8)).append(" |");
        }
        lines.add(row.toString());
    }

    private String cell(String name, int... threads) {
        List<String> nanos = new ArrayList<>();
        for (int count : threads) {
            value(name + count + (count == 8 && name.startsWith("Pool") ? " ns" : " cpu"))
                    .ifPresent(ns -> nanos.add(Goals.text(ns)));
        }
        if (nanos.isEmpty()) {
            return "–";
        }
        StringBuilder cell = new StringBuilder(String.join(" / ", nanos));
        value(name + "1 p99").ifPresent(p99 -> cell.append("; p99 ").append(Goals.text(p99)));
        value(name + "1 p999").ifPresent(p999 -> cell.append(", p99.9 ").append(Goals.text(p999)));
        value(name + threads[0] + " bytes")
                .ifPresent(bytes -> cell.append("; ").append(Math.round(bytes)).append(" B"));
        return cell.toString();
    }

    private OptionalDouble value(String name) {
        return figures.get(name);
    }
}
