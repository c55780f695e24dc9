package io.degradable.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of docs/testing.md are tests that run: the page has them word by word, but for the white space. */
final class TestingPageTest {

    private static final Path PAGE = Path.of("../docs/testing.md");
    private static final Path SOURCE = Path.of("src/test/java/io/degradable/examples/shop/GetProductChainTest.java");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void every_example_of_the_page_is_in_the_test_that_runs_it() throws IOException {
        String source = withoutSpace(Files.readString(SOURCE));

        List<String> examples = EXAMPLE.matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(examples).isNotEmpty();
        assertThat(examples).allSatisfy(example -> assertThat(source).contains(withoutSpace(example)));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}
