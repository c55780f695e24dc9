package io.degradable.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What was measured, by name. The names of JMH's figures are {@code class.method[/peer]@threads} and what was measured:
 * {@code ns} on the wall, {@code cpu}, {@code bytes}, {@code p99}, {@code p999}; the other programs choose their own. Each program writes a file.
 */
final class Figures {

    private final Map<String, Double> values = new TreeMap<>();

    /** Where the files are. */
    static Path directory() {
        return root().resolve("commands-core/target/jmh");
    }

    static Path root() {
        return Path.of(System.getProperty("bench.root", ".")).toAbsolutePath().normalize();
    }

    void put(String name, double value) {
        values.put(name, value);
    }

    OptionalDouble get(String name) {
        Double value = values.get(name);
        return value == null || value.isNaN() ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** Writes them down, and shows them. */
    void write(String file) throws IOException {
        values.forEach((name, value) -> System.out.printf("%-50s %,.2f%n", name, value));
        Files.createDirectories(directory());
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(directory().resolve(file + ".json").toFile(), values);
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    /** All that lies in the directory. */
    static Figures read() throws IOException {
        Figures figures = new Figures();
        ObjectMapper mapper = new ObjectMapper();
        if (!Files.isDirectory(directory())) {
            return figures;
        }
        try (Stream<Path> files = Files.list(directory())) {
            files.filter(file -> file.toString().endsWith(".json")).sorted().forEach(file -> {
                try {
                    JsonNode json = mapper.readTree(file.toFile());
                    if (json.isArray()) {
                        json.forEach(figures::addOfJmh);
                    } else {
                        json.properties()
                                .forEach(field -> figures.put(
                                        field.getKey(), field.getValue().asDouble()));
                    }
                } catch (IOException unreadable) {
                    throw new UncheckedIOException(unreadable);
                }
            });
        }
        return figures;
    }

    private void addOfJmh(JsonNode run) {
        String[] path = run.get("benchmark").asText().split("\\.");
        String name = path[path.length - 2] + "." + path[path.length - 1]
                + (run.has("params") ? "/" + run.get("params").get("peer").asText() : "") + "@"
                + run.get("threads").asInt() + " ";
        JsonNode primary = run.get("primaryMetric");
        if (run.get("mode").asText().equals("sample")) {
            put(name + "p99", primary.get("scorePercentiles").get("99.0").asDouble());
            put(name + "p999", primary.get("scorePercentiles").get("99.9").asDouble());
        } else {
            put(name + "ns", best(primary));
            JsonNode cpu = run.get("secondaryMetrics").get(CpuProfiler.NAME);
            if (cpu != null) {
                put(name + "cpu", best(cpu));
            }
            JsonNode bytes = run.get("secondaryMetrics").get("gc.alloc.rate.norm");
            if (bytes != null) {
                put(name + "bytes", bytes.get("score").asDouble());
            }
        }
    }

    /** The median of each fork's iterations, and of the forks the lowest: the machine is shared, and disturbs upwards only. */
    private static double best(JsonNode metric) {
        List<Double> forks = new ArrayList<>();
        for (JsonNode fork : metric.get("rawData")) {
            double[] iterations = new double[fork.size()];
            Arrays.setAll(iterations, i -> fork.get(i).asDouble());
            Arrays.sort(iterations);
            forks.add((iterations[(iterations.length - 1) / 2] + iterations[iterations.length / 2]) / 2);
        }
        return forks.stream().min(Double::compare).orElse(Double.NaN);
    }
}
