package io.degradable.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * The goals for speed and size, and what was measured of them. Where nothing waits, ratios are of processor time; on pools,
 * and for percentiles, of time on the wall.
 */
final class Goals {

    /** One line of the table. */
    record Line(String goal, String what, String atMost, String measured, String verdict) {}

    private static final double COUNT_WINDOW = 1.05;

    private final Figures figures;
    private final List<Line> lines = new ArrayList<>();

    private Goals(Figures figures) {
        this.figures = figures;
    }

    static List<Line> lines(Figures figures) {
        Goals goals = new Goals(figures);
        goals.onCallersThread();
        goals.onPool();
        goals.chain();
        goals.atScale();
        goals.beside();
        return goals.lines;
    }

    private void onCallersThread() {
        String success = caller("success", "OURS", 1);
        ratio("G1", "success, 1 thread, by LIMIT", 1.3, success, caller("success", "LIMIT", 1));
        ratio("G1", "by R4j, count window", COUNT_WINDOW, success, caller("success", "R4J_COUNT", 1));
        ratio("G1", "by Hystrix", 1.0 / 40, success, caller("success", "HYSTRIX", 1));
        figure("G1", "bytes", "B", 16, bytes("success", "OURS"));
        ratio(
                "G1",
                "body asks for its deadline, by LIMIT",
                1.9,
                ours("successWithDeadline"),
                caller("success", "LIMIT", 1));
        figure("G1", "the same, bytes", "B", 48, oursBytes("successWithDeadline"));
        ratio("G2", "success, 2 threads, by LIMIT", 0.9, caller("success", "OURS", 2), caller("success", "LIMIT", 2));
        ratio("G2", "by R4j, count window", 0.45, caller("success", "OURS", 2), caller("success", "R4J_COUNT", 2));
        ratio("G3", "success, p99, 1 thread, by LIMIT", 1.5, p99("OURS", 1), p99("LIMIT", 1));
        ratio("G3", "p99, 8 threads, by LIMIT", 0.5, p99("OURS", 8), p99("LIMIT", 8));
        ratio("G3", "p99, 1 thread, by Hystrix", 1.0 / 100, p99("OURS", 1), p99("HYSTRIX", 1));
    }

    private void onPool() {
        ratio("G4", "pool, 8 callers in a tight loop, by submit + get", 1.25, pool("OURS"), pool("LIMIT"));
        ratio("G4", "by Hystrix", 0.5, pool("OURS"), pool("HYSTRIX"));
        ratio("G4", "by R4j", 1, pool("OURS"), pool("R4J_COUNT"));
        figure("G4", "bytes, all threads", "B", 96, "Pool.success/OURS@8 bytes");
        ratio("G5", "pool, 1 ms apart, median, by executor + get", 1, "apart OURS p50", "apart LIMIT p50");
        ratio("G5", "the same, processor time", 1.15, "apart OURS cpu", "apart LIMIT cpu");
        figure("G6", "pool of 10, 8 callers, rejections", "", 0, "rejections OURS");
    }

    private void chain() {
        chain("G7", "body throws, template", "failureThenStatic", 1.3, 0.55, 1.0 / 25);
        figure("G7", "bytes", "B", 16, bytes("failureThenStatic", "OURS"));
        figure("G7", "bytes, executeForResult", "B", 64, oursBytes("failureForResult"));
        chain("G8", "body throws, Caffeine read", "failureThenRead", 1.4, 0.75, 1.0 / 20);
        figure("G8", "bytes", "B", 64, bytes("failureThenRead", "OURS"));
        chain("G9", "breaker open, template", "openThenStatic", 1.5, 0.25, 1.0 / 60);
        figure("G9", "bytes", "B", 16, bytes("openThenStatic", "OURS"));
        figure("G9", "bytes, executeForResult", "B", 64, oursBytes("openForResult"));
    }

    private void chain(String goal, String what, String path, double limit, double resilience4j, double hystrix) {
        ratio(goal, what + ", by LIMIT", limit, caller(path, "OURS", 1), caller(path, "LIMIT", 1));
        ratio(goal, "by R4j", resilience4j, caller(path, "OURS", 1), caller(path, "R4J_COUNT", 1));
        ratio(goal, "by Hystrix", hystrix, caller(path, "OURS", 1), caller(path, "HYSTRIX", 1));
    }

    private void atScale() {
        figure("G10", "a name with one guard, 12 s of traffic", "B", 6 * 1024, "memory OURS 1000");
        figure("G10", "the same, every window full", "B", 6 * 1024, "memory OURS 1000 full");
        figure("G10", "a name with four stages, 12 s of traffic", "B", 16 * 1024, "memory OURS_STAGES 1000");
        figure("G10", "the same, every window full", "B", 16 * 1024, "memory OURS_STAGES 1000 full");
        figure("G11", "1,000 idle names, of a core", "%", 0.5, "idle OURS 1000 percent");
        figure("G12", "timers armed by 1,000 synchronous runs on a pool", "", 0, "timers armed");
        ratio("G12", "arm and cancel, by a hashed wheel", 1, "Timers.ours@1 cpu", "Timers.wheel@1 cpu");
        figure("G12", "bytes", "B", 64, "Timers.ours@1 bytes");
        figure("G13", "10,000 pending, lateness, p99", "ms", 10, "pending OURS p99 ms");
        figure("G13", "processor time each", "µs", 2, "pending OURS cpu us");
        figure("G13", "bytes each", "B", 512, "pending OURS bytes");
        figure("G13", "calls left after", "", 0, "pending OURS left");
    }

    private void beside() {
        ratio("G14", "virtual caller, by start + join", 1.3, "virtual OURS ns", "virtual LIMIT ns");
        figure("G15", "clock readings, healthy call", "", 2, "clock success");
        figure("G15", "clock readings, breaker open", "", 1, "clock open");
        difference("G16", "executeForResult, on top", "ns", 10, ours("successForResult"), ours("success"));
        difference("G16", "bytes on top", "B", 48, oursBytes("successForResult"), oursBytes("success"));
        ratio(
                "G17",
                "queue() on a pool, by supplyAsync + orTimeout + thenApplyAsync",
                1.2,
                "Queued.queue@1 ns",
                "Queued.future@1 ns");
        ratio(
                "G18",
                "meters and state read ten times a second, by nobody looking",
                1.05,
                ours("successScraped"),
                ours("success"));
        ratio("G18", "a listener, by none", 1.05, ours("successListened"), ours("success"));
        figure("G19", "10,000 names", "ms", 1_000, "start 10000 names ms");
        figure("G19", "Commands itself", "ms", 100, "start commands ms");
    }

    private static String caller(String path, String peer, int threads) {
        return "CallerThread." + path + "/" + peer + "@" + threads + " cpu";
    }

    private static String bytes(String path, String peer) {
        return "CallerThread." + path + "/" + peer + "@1 bytes";
    }

    private static String p99(String peer, int threads) {
        return "CallerThread.success/" + peer + "@" + threads + " p99";
    }

    private static String pool(String peer) {
        return "Pool.success/" + peer + "@8 ns";
    }

    private static String ours(String what) {
        return "OursOnly." + what + "@1 cpu";
    }

    private static String oursBytes(String what) {
        return "OursOnly." + what + "@1 bytes";
    }

    private void ratio(String goal, String what, double atMost, String ours, String theirs) {
        OptionalDouble mine = figures.get(ours);
        OptionalDouble other = figures.get(theirs);
        // What is not above zero drowned in the noise of what was taken off it.
        boolean both = mine.isPresent() && other.isPresent() && mine.getAsDouble() > 0 && other.getAsDouble() > 0;
        String limit = atMost < 0.1 ? "1/" + Math.round(1 / atMost) : text(atMost);
        if (!both) {
            add(goal, what, limit, atMost, OptionalDouble.empty(), "");
            return;
        }
        double ratio = mine.getAsDouble() / other.getAsDouble();
        String shown = (atMost < 0.1 ? "1/" + text(1 / ratio) : text(ratio)) + " (" + text(mine.getAsDouble()) + " / "
                + text(other.getAsDouble()) + ")";
        add(goal, what, limit, atMost, OptionalDouble.of(ratio), shown);
    }

    private void figure(String goal, String what, String unit, double atMost, String name) {
        OptionalDouble value = figures.get(name);
        add(goal, what, with(unit, atMost), atMost, value, value.isPresent() ? with(unit, value.getAsDouble()) : "");
    }

    private void difference(String goal, String what, String unit, double atMost, String more, String less) {
        OptionalDouble one = figures.get(more);
        OptionalDouble other = figures.get(less);
        if (one.isEmpty() || other.isEmpty()) {
            add(goal, what, with(unit, atMost), atMost, OptionalDouble.empty(), "");
            return;
        }
        double difference = one.getAsDouble() - other.getAsDouble();
        String shown =
                with(unit, difference) + " (" + text(one.getAsDouble()) + " − " + text(other.getAsDouble()) + ")";
        add(goal, what, with(unit, atMost), atMost, OptionalDouble.of(difference), shown);
    }

    private void add(String goal, String what, String limit, double atMost, OptionalDouble value, String shown) {
        if (value.isEmpty()) {
            lines.add(new Line(goal, what, "≤ " + limit, "", "not measured"));
        } else {
            // A byte or so comes from what JMH itself allocates between two readings.
            boolean met = value.getAsDouble() <= atMost + (limit.endsWith("B") ? 0.5 : 0);
            lines.add(new Line(goal, what, "≤ " + limit, shown, met ? "met" : "**missed**"));
        }
    }

    private static String with(String unit, double value) {
        return text(value) + (unit.isEmpty() ? "" : " " + unit);
    }

    /** Three digits where they say something. */
    static String text(double value) {
        double size = Math.abs(value);
        String format = value == Math.rint(value) || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }
}
