package io.degradable.bench;

import io.degradable.cache.Codec;
import io.degradable.snapshots.BuiltSnapshot;
import io.degradable.snapshots.SnapshotBuilder;
import io.degradable.snapshots.SnapshotReader;
import io.degradable.snapshots.SnapshotSpec;
import io.degradable.template.StaticSnapshot;
import io.degradable.time.Ticker;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A snapshot of a million products: how long building takes, how long a lookup, and how much heap reading needs. Reading runs
 * in a JVM of its own with 64 MB of heap, so more than that is the end of it. Exits with 1 when a limit is not kept or an
 * answer is wrong.
 */
final class SnapshotMillion {

    private static final int PRODUCTS = 1_000_000;
    private static final int LOOKUPS = 100_000;
    private static final double MOST_BUILD_SECONDS = 60;
    private static final double MOST_LOOKUP_MICROS = 20;
    private static final double MOST_HEAP_MB = 64;

    private SnapshotMillion() {}

    /** With a directory: reads there. Without: builds in a temporary one, then starts the reader. */
    public static void main(String[] arguments) throws Exception {
        System.exit((arguments.length == 0 ? run() : read(Path.of(arguments[0]))) ? 0 : 1);
    }

    static boolean run() throws Exception {
        Path directory = Files.createTempDirectory("snapshot-million");
        try {
            boolean good = build(directory);
            Process reader = new ProcessBuilder(List.of(
                            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            SnapshotMillion.class.getName(),
                            directory.toString()))
                    .inheritIO()
                    .start();
            if (!reader.waitFor(5, TimeUnit.MINUTES)) {
                reader.destroyForcibly();
                return false;
            }
            return good && reader.exitValue() == 0;
        } finally {
            deleteAll(directory);
        }
    }

    private static boolean build(Path directory) throws Exception {
        SnapshotBuilder<Long, Long, String> builder =
                SnapshotBuilder.of(spec(directory), SnapshotMillion::page, id -> id, SnapshotMillion::product);
        BuiltSnapshot built = builder.build();
        double seconds = built.elapsed().toMillis() / 1e3;
        System.out.printf(
                "build    %,d products, %,d bytes in the file of %,d uncompressed: %.1f s, at most %.0f%n",
                built.records(), built.bytes(), uncompressed(), seconds, MOST_BUILD_SECONDS);
        return built.records() == PRODUCTS && seconds <= MOST_BUILD_SECONDS;
    }

    private static boolean read(Path directory) throws Exception {
        long before = Machine.usedHeap();
        long beganNanos = System.nanoTime();
        try (SnapshotReader<Long, String> reader = SnapshotReader.open(spec(directory), Ticker.system())) {
            System.out.printf(
                    "open     %,d ms, with every byte checked%n", (System.nanoTime() - beganNanos) / 1_000_000);
            Random random = new Random(42);
            look(reader, random, new long[LOOKUPS]); // warms up
            long[] nanos = new long[LOOKUPS];
            boolean right = look(reader, random, nanos);
            Arrays.sort(nanos);
            double median = nanos[LOOKUPS / 2] / 1e3;
            double heap = (Machine.usedHeap() - before) / 1e6;
            System.out.printf(
                    "lookup   of %,d at random, one of ten a miss: median %.1f us, 99 %% %.1f us, at most %.0f for the median%n",
                    LOOKUPS, median, nanos[LOOKUPS / 100 * 99] / 1e3, MOST_LOOKUP_MICROS);
            System.out.printf(
                    "heap     %.1f MB held by the reader, at most %.0f; it ran with -Xmx64m%n", heap, MOST_HEAP_MB);
            System.out.printf("machine  %s%n", Machine.load());
            return right && median <= MOST_LOOKUP_MICROS && heap <= MOST_HEAP_MB;
        }
    }

    private static boolean look(SnapshotReader<Long, String> reader, Random random, long[] nanos) throws Exception {
        boolean right = true;
        for (int i = 0; i < nanos.length; i++) {
            long id = i % 10 == 0 ? PRODUCTS + random.nextInt(PRODUCTS) : random.nextInt(PRODUCTS);
            long beganNanos = System.nanoTime();
            StaticSnapshot.Found<String> found = reader.find(id);
            nanos[i] = System.nanoTime() - beganNanos;
            boolean expected = id < PRODUCTS ? found != null && found.value().equals(product(id)) : found == null;
            if (!expected) {
                System.out.println("wrong    " + id + " is " + found);
                right = false;
            }
        }
        return right;
    }

    private static SnapshotSpec<Long, String> spec(Path directory) {
        return new SnapshotSpec<>("products", directory, Codec.longs(), Codec.strings());
    }

    private static List<Long> page(Long after, int size) {
        List<Long> page = new ArrayList<>();
        for (long id = after == null ? 0 : after + 1; id < PRODUCTS && page.size() < size; id++) {
            page.add(id);
        }
        return page;
    }

    private static String product(long id) {
        long mixed = id * 0x9E3779B97F4A7C15L;
        return "{\"id\":" + id + ",\"name\":\"" + WORDS[(int) (mixed >>> 61)] + " " + WORDS[(int) (mixed >>> 58) & 7]
                + " "
                + (mixed >>> 48) + "\",\"priceCents\":" + (mixed >>> 44) % 100_000
                + ",\"currency\":\"EUR\",\"shelf\":\""
                + Long.toString(mixed & 0xFFFFFF, 36) + "\"}";
    }

    private static final String[] WORDS = {"Copper", "Lamp", "Wooden", "Table", "Garden", "Chair", "Light", "Kettle"};

    private static long uncompressed() {
        long bytes = 0;
        for (long id = 0; id < PRODUCTS; id++) {
            bytes += Long.BYTES + product(id).length();
        }
        return bytes;
    }

    private static void deleteAll(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
