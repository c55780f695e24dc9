package io.degradable;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** H4: the order of a chain is held by types. A wrong one does not compile. */
final class ChainOrderTest {

    private static final String SOURCE = """
            import io.degradable.*;
            import io.degradable.cache.CacheSpec;
            import io.degradable.template.StaticSnapshot;
            import io.degradable.template.StaticTemplate;
            import java.time.Duration;

            class Sketch extends DegradableCommand<String> {
                static final CacheSpec<Long, String> COPIES = CacheSpec.named("copies");
                static final StaticTemplate<String> LAST = StaticTemplate.of("last", "x");
                static StaticSnapshot<Long, String> records;
                static final CommandSpec<Sketch, String> SPARE =
                        CommandSpec.<Sketch, String>named("Spare").group("other").build();
                static final CommandSpec<Sketch, String> SPEC = CommandSpec.of(Sketch.class).group("g")
                        .fallback(chain -> chain%s)
                        .build();
                long id;
                Sketch() { super(SPEC); }
                @Override protected String run() { return ""; }
            }
            """;

    private static final String WITHIN = ".within(Duration.ofMillis(250))";
    private static final String SPARE = ".spare(SPARE, command -> command)";
    private static final String CACHED = ".cached(COPIES, command -> command.id, Duration.ofMinutes(5))";
    private static final String TEMPLATE = ".template(LAST)";
    private static final String SNAPSHOT = ".template(records, command -> command.id, LAST)";

    @TempDir
    private Path classes;

    private List<String> errorsOf(String chain) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Sketch.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return SOURCE.formatted(chain);
                    }
                };
        var unused = compiler.getTask(
                        null,
                        null,
                        found,
                        List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none"),
                        null,
                        List.of(source))
                .call();
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getMessage(Locale.ROOT))
                .collect(Collectors.toList());
    }

    @Test
    void the_right_order_compiles() {
        assertThat(errorsOf(WITHIN + SPARE + SPARE + CACHED + CACHED + TEMPLATE))
                .isEmpty();
        assertThat(errorsOf(CACHED)).isEmpty();
        assertThat(errorsOf(TEMPLATE)).isEmpty();
        assertThat(errorsOf(CACHED + SNAPSHOT)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "TEMPLATE CACHED, cached",
        "TEMPLATE SPARE, spare",
        "TEMPLATE TEMPLATE, template",
        "SNAPSHOT TEMPLATE, template",
        "SNAPSHOT CACHED, cached",
        "CACHED SPARE, spare",
        "CACHED WITHIN, within",
        "SPARE WITHIN, within",
        "WITHIN WITHIN, within"
    })
    void a_wrong_order_does_not_compile(String order, String misplaced) {
        String chain = order.replace("TEMPLATE", TEMPLATE)
                .replace("SNAPSHOT", SNAPSHOT)
                .replace("CACHED", CACHED)
                .replace("SPARE ", SPARE + " ")
                .replaceAll("SPARE$", java.util.regex.Matcher.quoteReplacement(SPARE))
                .replace("WITHIN", WITHIN);

        assertThat(errorsOf(chain.replace(" .", ".")))
                .singleElement()
                .asString()
                .contains("cannot find symbol")
                .contains("method " + misplaced);
    }
}
