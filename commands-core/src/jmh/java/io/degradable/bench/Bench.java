package io.degradable.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * The command of the profile {@code jmh}. {@code short} measures what the goals need in about five minutes, {@code full}
 * every peer on every path in about an hour and a half; both then write the table. {@code table} writes it anew from the figures that
 * are there. {@code soak} is the {@link Soak}, which is no measurement; {@code snapshot} builds and reads the
 * {@link SnapshotMillion}. Anything else is handed to JMH.
 */
public final class Bench {

    private static final String[] CALLERS = {"success", "failureThenStatic", "failureThenRead", "openThenStatic"};
    private static final String[] NO_LIMIT_OF_THEIR_OWN = {"LIMIT", "OURS"};

    private final boolean full;

    private Bench(boolean full) {
        this.full = full;
    }

    public static void main(String[] arguments) throws Exception {
        String what = String.join(" ", arguments);
        switch (what) {
            case "short", "full" -> {
                double loadBefore = Machine.load();
                new Bench(what.equals("full")).run();
                Report.write(what, loadBefore);
            }
            case "soak" -> System.exit(Soak.run(Duration.parse(System.getProperty("soak"))) ? 0 : 1);
            case "snapshot" -> System.exit(SnapshotMillion.run() ? 0 : 1);
            case "table" -> Report.write("table", Machine.load());
            default -> org.openjdk.jmh.Main.main(arguments);
        }
        System.exit(0); // peers leave threads behind
    }

    private void run() throws Exception {
        emptyDirectory();
        programs();
        String[] everybody = Arrays.stream(Peers.values()).map(Enum::name).toArray(String[]::new);
        String[] compared = full ? everybody : new String[] {"LIMIT", "OURS", "R4J_COUNT", "HYSTRIX"};
        for (String path : CALLERS) {
            jmh("caller-" + path, "CallerThread." + path, 1, Mode.AverageTime, compared);
        }
        if (full) {
            jmh("caller-2", "CallerThread", 2, Mode.AverageTime, everybody);
            jmh("caller-8", "CallerThread", 8, Mode.AverageTime, NO_LIMIT_OF_THEIR_OWN);
            jmh("sample-1", "CallerThread", 1, Mode.SampleTime, everybody);
        } else {
            jmh("caller-2", "CallerThread.success", 2, Mode.AverageTime, "LIMIT", "OURS", "R4J_COUNT");
            jmh("sample-1", "CallerThread.success", 1, Mode.SampleTime, "LIMIT", "OURS", "HYSTRIX");
        }
        jmh("sample-8", "CallerThread.success", 8, Mode.SampleTime, NO_LIMIT_OF_THEIR_OWN);
        jmh("ours", "OursOnly", 1, Mode.AverageTime);
        jmh("queued", "Queued", 1, Mode.AverageTime);
        jmh("timers", full ? "Timers" : "Timers.(ours|wheel)", 1, Mode.AverageTime);
        if (full) {
            jmh("pool", "Pool", 8, Mode.AverageTime);
        } else {
            jmh("pool", "Pool", 8, Mode.AverageTime, "LIMIT", "OURS", "R4J_COUNT", "HYSTRIX");
        }
    }

    private void jmh(String file, String benchmarks, int threads, Mode mode, String... peers) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\." + benchmarks + (benchmarks.contains(".") ? "$" : "\\."))
                .threads(threads)
                .mode(mode)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(full ? 2 : 1)
                .warmupIterations(full ? 3 : 1)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(full ? 5 : 3)
                .measurementTime(TimeValue.milliseconds(full ? 1_000 : 400))
                .timeout(TimeValue.seconds(30))
                .shouldFailOnError(false)
                // Touched before: else each call pays for the pages of the memory that it is the first to use.
                .jvmArgs("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "-Dbench.root=" + Figures.root())
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class)
                .resultFormat(ResultFormatType.JSON)
                .result(Figures.directory().resolve(file + ".json").toString());
        if (peers.length > 0) {
            options.param("peer", peers);
        }
        new Runner(options.build()).run();
    }

    /** What JMH does badly, each in a JVM of its own; at once where each counts only what is its own. */
    private void programs() throws IOException, InterruptedException {
        await(start(StartUp.class));
        await(start(ClockReadings.class));
        await(start(FalseRejections.class, full ? "10" : "2"));
        await(start(MillisecondApart.class, full ? "4000" : "1000"));
        for (String peer :
                full ? new String[] {"LIMIT", "OURS", "R4J_COUNT", "FAILSAFE", "HYSTRIX"} : new String[] {"OURS"}) {
            await(start(PendingTimeouts.class, peer, full ? "20" : "8"));
        }
        List<Process> together = new ArrayList<>();
        for (Names.Kind kind : Names.Kind.values()) {
            if (full || kind.isOurs()) {
                together.add(start(MemoryPerName.class, kind.name(), "1000"));
            }
        }
        together.add(start(IdleNames.class, "OURS", "1000"));
        for (Process process : together) {
            await(process);
        }
        if (full) {
            for (Names.Kind kind : Names.Kind.values()) {
                await(start(MemoryPerName.class, kind.name(), "10000"));
            }
            await(start(IdleNames.class, "R4J", "1000"));
            await(start(IdleNames.class, "SENTINEL", "1000"));
            await(start(IdleNames.class, "HYSTRIX", "1000"));
        }
        String java21 = System.getProperty("java21.home", "");
        if (!java21.isEmpty()) {
            await(start(java21, VirtualCallers.class));
        }
    }

    private static Process start(Class<?> program, String... arguments) throws IOException {
        return start(System.getProperty("java.home"), program, arguments);
    }

    private static Process start(String javaHome, Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                javaHome + File.separator + "bin" + File.separator + "java",
                "-Xms512m",
                "-XX:+AlwaysPreTouch",
                "-Xmx4g",
                "-Dbench.root=" + Figures.root(),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        System.out.println("# " + program.getSimpleName() + " " + String.join(" ", arguments));
        return new ProcessBuilder(command).inheritIO().start();
    }

    /** A program that fails leaves its goal unmeasured. */
    private static void await(Process program) throws InterruptedException {
        if (!program.waitFor(3, TimeUnit.MINUTES)) {
            program.destroyForcibly();
            System.out.println("# ended: it took too long");
        } else if (program.exitValue() != 0) {
            System.out.println("# failed with " + program.exitValue());
        }
    }

    private static void emptyDirectory() throws IOException {
        Files.createDirectories(Figures.directory());
        try (Stream<Path> files = Files.walk(Figures.directory())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(Figures.directory())) {
                    Files.delete(file);
                }
            }
        }
    }
}
