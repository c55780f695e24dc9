package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * No monitor is held around user code or parking, which would pin a carrier thread before Java 24 and invite deadlocks
 * ever after. The simplest form of that: what a call passes through has no monitors, but for a list with reasons.
 */
final class MonitorsTest {

    /** The packages that calls pass through. */
    private static final List<String> ON_THE_WAY =
            List.of("window", "breaker", "bulkhead", "guard", "stage", "execution");

    /**
     * Commands become known and are wired anew under their locks, and what belongs to a user is called outside: no call comes
     * by there.
     */
    private static final Set<String> NOT_LOOKED_AT = Set.of("Container", "Parts", "Recoveries", "Switchboard");

    private static final Set<String> ALLOWED = Set.of(
            // Two limits of an executor and a count, set one after the other by whoever configures; calls pass by.
            "ThreadPoolBulkhead.resize");

    private static final Pattern TYPE = Pattern.compile("^\\S.*?(?:class|interface) ([\\w.$]+).*\\{$");
    private static final Pattern METHOD = Pattern.compile("^  \\S.*?([\\w.$]+)\\(.*\\).*;$");

    @DisplayName("B146: what a call passes through has no monitors")
    @Test
    void no_monitor_is_on_the_way_of_a_call() throws IOException, URISyntaxException {
        List<Path> classes = new ArrayList<>();
        for (String name : ON_THE_WAY) {
            try (Stream<Path> files =
                    Files.list(directoryOf(Commands.class).resolve("io/degradable/internal/" + name))) {
                files.filter(MonitorsTest::isLookedAt).forEach(classes::add);
            }
        }

        assertThat(classes).hasSizeGreaterThan(50);
        assertThat(monitors(classes)).isEqualTo(ALLOWED);
    }

    private static Path directoryOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static boolean isLookedAt(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".class") && !NOT_LOOKED_AT.contains(name.split("[.$]", 2)[0]);
    }

    /** What the check must find. */
    static final class HoldsMonitors {

        private int count;

        synchronized void method() {
            count++;
        }

        static synchronized String ofTheClass() {
            return "";
        }

        int block(List<Integer> any) {
            synchronized (this) {
                return any.get(count);
            }
        }

        Runnable inALambda() {
            return () -> {
                synchronized (HoldsMonitors.class) {
                    count++;
                }
            };
        }

        int free() {
            return count;
        }
    }

    @Test
    void synchronized_methods_and_blocks_are_found_in_lambdas_too() throws URISyntaxException {
        Path file = directoryOf(HoldsMonitors.class).resolve("io/degradable/MonitorsTest$HoldsMonitors.class");

        assertThat(monitors(List.of(file)))
                .containsExactlyInAnyOrder(
                        "MonitorsTest$HoldsMonitors.method",
                        "MonitorsTest$HoldsMonitors.ofTheClass",
                        "MonitorsTest$HoldsMonitors.block",
                        "MonitorsTest$HoldsMonitors.lambda$inALambda$0");
    }

    /** The methods that take a monitor, read from their code as the JDK's own tool shows it. */
    private static Set<String> monitors(List<Path> classes) {
        Set<String> found = new TreeSet<>();
        String type = "?";
        String method = "?";
        for (String line : code(classes).lines().toList()) {
            Matcher typeHead = TYPE.matcher(line);
            Matcher methodHead = METHOD.matcher(line);
            if (typeHead.matches()) {
                type = typeHead.group(1).substring(typeHead.group(1).lastIndexOf('.') + 1);
            } else if (methodHead.matches()) {
                method = methodHead.group(1);
            }
            if (line.contains("monitorenter") || (methodHead.matches() && line.contains(" synchronized "))) {
                found.add(type + "." + method);
            }
        }
        return found;
    }

    private static String code(List<Path> classes) {
        List<String> arguments = new ArrayList<>(List.of("-p", "-c"));
        classes.forEach(file -> arguments.add(file.toString()));
        StringWriter text = new StringWriter();
        ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        int ended = javap.run(new PrintWriter(text), new PrintWriter(text), arguments.toArray(new String[0]));
        assertThat(ended).as("%s", text).isZero();
        return text.toString();
    }
}
