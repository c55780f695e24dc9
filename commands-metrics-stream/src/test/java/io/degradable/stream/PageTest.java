package io.degradable.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.degradable.Commands;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PageTest {

    private static final String[] FILES = {"/", "/table.js", "/table.css"};

    private final Commands commands = Commands.create();
    private StreamServer server;
    private Web web;

    @BeforeEach
    void start() throws Exception {
        server = StreamServer.builder(commands).start();
        web = new Web(server.uri());
    }

    @AfterEach
    void close() {
        server.close();
        commands.close();
    }

    @Test
    void browser_is_told_to_run_and_load_nothing_but_ours() throws Exception {
        for (String file : FILES) {
            HttpResponse<String> response = web.get(file);

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(Web.header(response, "Content-Security-Policy"))
                    .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; ")
                    .contains("frame-ancestors 'none'")
                    .doesNotContain("unsafe", "*", "http");
            assertThat(Web.header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
        }
        assertThat(Web.header(web.get("/table.js"), "Content-Type")).startsWith("text/javascript");
        assertThat(Web.header(web.get("/table.css"), "Content-Type")).startsWith("text/css");
    }

    @Test
    void page_refers_only_to_what_is_served_beside_it() throws Exception {
        String html = web.get("/").body();

        Matcher reference = Pattern.compile("(?:src|href)=\"([^\"]*)\"").matcher(html);
        int references = 0;
        while (reference.find()) {
            references++;
            assertThat(web.get("/" + reference.group(1)).statusCode())
                    .as(reference.group(1))
                    .isEqualTo(200);
        }
        assertThat(references).isEqualTo(2);
        assertThat(html).doesNotContain("<style", "style=", "onload=", "onclick=", "<script>", "//");
    }

    @Test
    void script_never_reads_text_as_markup_and_asks_only_for_the_state() throws Exception {
        String script = web.get("/table.js").body();

        assertThat(script)
                .contains("fetch('degradable/v1/state'")
                .doesNotContainIgnoringCase("html", "document.write", "eval(", "http:", "https:");
    }

    @Test
    void page_stays_small() throws Exception {
        long lines = 0;
        for (String file : FILES) {
            lines += web.get(file).body().lines().count();
        }

        assertThat(lines).isLessThan(200);
    }

    /** The assertions are in the script, which runs the page's own one against a document of its making. */
    @Test
    void script_shows_what_the_state_says() throws Exception {
        Path test = Path.of("src", "test", "js", "table-test.mjs");
        Path script = Files.createTempFile("table", ".js");
        Files.writeString(script, web.get("/table.js").body());

        Process node = new ProcessBuilder("node", test.toString(), script.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(node.waitFor()).as(output).isZero();
        assertThat(output).endsWith("8 checks passed\n");
        Files.delete(script);
    }
}
