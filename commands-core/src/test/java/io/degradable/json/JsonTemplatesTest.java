package io.degradable.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import io.degradable.CallableCommand;
import io.degradable.CommandSpec;
import io.degradable.Commands;
import io.degradable.state.TemplateView;
import io.degradable.template.StaticTemplate;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** H6: a template in JSON is refused for whatever could mislead, and the refusal says what, where and how to allow it. */
@Timeout(30)
final class JsonTemplatesTest {

    record Product(
            long id,
            String name,
            @Nullable Integer priceCents,
            @Nullable String notice,
            List<String> tags) {}

    private static final String GOOD =
            "{\"id\":7,\"name\":\"Product\",\"priceCents\":null,\"notice\":\"to be confirmed\",\"tags\":[\"unknown\"]}";

    private static final JsonTemplates<Product> PRODUCT =
            JsonTemplates.of("unknown-product", Product.class).mayLack("priceCents");

    @TempDir
    private Path directory;

    private static void assertRefused(JsonTemplates<?> template, String json, String why) {
        assertThatThrownBy(() -> template.fromText("property unknown", json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("template " + nameOf(template) + " from property unknown ")
                .hasMessageContaining(why);
    }

    private static String nameOf(JsonTemplates<?> template) {
        return template.toString().split(" ", 3)[1];
    }

    @Test
    void a_resource_gives_value_version_and_where_it_was_found() {
        StaticTemplate<Product> template = PRODUCT.fromResource("/templates/unknown-product.json");

        assertThat(template.value())
                .isEqualTo(new Product(7, "Product", null, "price to be confirmed", List.of("unknown")));
        assertThat(template.version()).isEqualTo("2026-11-30");
        assertThat(template.loadedFrom()).isEqualTo("resource /templates/unknown-product.json");
    }

    @Test
    void without_a_version_it_is_called_by_its_content() {
        String version = PRODUCT.fromText("text", GOOD).version();

        assertThat(version).matches("[0-9a-f]{8}");
        assertThat(PRODUCT.fromText("text", " " + GOOD + "\n").version()).isEqualTo(version);
        assertThat(PRODUCT.fromText("text", "{\"value\":" + GOOD + "}").version())
                .isEqualTo(version);
        assertThat(PRODUCT.fromText("text", GOOD.replace("\"id\":7", "\"id\":8"))
                        .version())
                .isNotEqualTo(version);
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(quoteCharacter = '\'', delimiter = '|', textBlock = """
            '"id":7'                      | '"id":0'                     | field id is 0, which reads as known: leave it out, or say zeroMeans("id", why)
            '"priceCents":null'           | '"priceCents":0'             | field priceCents is 0
            '"name":"Product"'            | '"name":"0.00"'              | field name is "0.00", which reads as known
            '"name":"Product"'            | '"name":null'                | field name is null or missing: it needs a value, or mayLack("name")
            '"name":"Product",'           | ''                           | field name is null or missing
            '"id":7,'                     | ''                           | field id: Cannot map `null` into type `long`
            '"notice":"to be confirmed",' | ''                           | field notice is null or missing
            '"tags":["unknown"]'          | '"tags":["a",null]'          | field tags is null or missing
            '"id":7'                      | '"id":null'                  | field id: Cannot map `null` into type `long`
            '"id":7'                      | '"id":"7"'                   | field id: Cannot coerce String value
            '"id":7'                      | '"id":7.5'                   | field id: Cannot coerce Floating-point value
            '"id":7'                      | '"id":7,"prize":8'           | field prize: Unrecognized field "prize"
            '"id":7'                      | '"id":7,"id":8'              | Duplicate field 'id'
            '}'                           | '} {}'                       | cannot be read: Trailing token
            '}'                           | ''                           | cannot be read: Unexpected end-of-input
            """)
    @DisplayName("H6: what is missing, null, zero or does not fit is refused by field")
    void what_could_mislead_is_refused(String good, @Nullable String bad, String why) {
        String json = GOOD.replace(good, bad == null ? "" : bad);

        assertRefused(PRODUCT, json, why);
    }

    @Test
    @DisplayName("H6: an empty list is refused unless a text stands beside it")
    void an_empty_list_needs_a_word() {
        JsonTemplates<Map<String, Object>> any = JsonTemplates.of("orders", new TypeReference<>() {});

        assertRefused(
                any,
                "{\"orders\":[]}",
                "field orders is [], which reads as none: put a text into \"notice\" beside it, or say"
                        + " emptyMeans(\"orders\", why)");
        assertRefused(any, "{\"orders\":[],\"notice\":\" \"}", "field orders is []");
        assertRefused(any, "{\"page\":{\"orders\":[]},\"notice\":\"away\"}", "field page.orders is []");
        assertRefused(any, "{\"orders\":{}}", "field orders is {}");
        assertRefused(any.noticeIn("wayOn"), "{\"orders\":[],\"notice\":\"away\"}", "into \"wayOn\" beside it");
        assertRefused(JsonTemplates.of("ids", new TypeReference<List<Long>>() {}), "[]", "field value is []");

        String allowed = "{\"orders\":[],\"wayOn\":\"0800 555 0100\"}";
        assertThat(any.noticeIn("wayOn").fromText("text", allowed).value()).hasSize(2);
        assertThat(any.emptyMeans("orders", "new here")
                        .fromText("text", "{\"orders\":[]}")
                        .value())
                .hasSize(1);
    }

    @Test
    @DisplayName("H6: a zero is allowed for a field by name, with what it means, and for no other")
    void a_zero_with_a_meaning_is_allowed() {
        JsonTemplates<Product> free = PRODUCT.zeroMeans("priceCents", "it is a gift");
        String json = GOOD.replace("null", "0");

        assertThat(free.fromText("text", json).value().priceCents()).isZero();
        assertRefused(free, json.replace("\"id\":7", "\"id\":-0"), "field id is 0");
        assertThatThrownBy(() -> PRODUCT.zeroMeans("priceCents", " "))
                .hasMessage("the meaning of field priceCents of template unknown-product is blank");
    }

    @Test
    void all_that_is_wrong_is_in_one_message() {
        assertThatThrownBy(() -> JsonTemplates.of("unknown-product", Product.class)
                        .fromText("text", "{\"id\":0,\"name\":\"Product\",\"tags\":[]}"))
                .hasMessageMatching("template unknown-product from text is refused: field id is 0, .*; field tags is"
                        + " \\[], .*; field notice is null .*; field priceCents is null .*");
    }

    /** What it does not say it does not write either. */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record Quiet(@Nullable String text, BigDecimal amount, List<String> more) {
        Quiet {
            more = more == null ? List.of() : more;
        }
    }

    /** A class that is not a record begins with what its fields begin with. */
    static final class Stock {
        public int count;
    }

    @Test
    @DisplayName("H6: a zero that nobody wrote misleads as well")
    void a_zero_that_is_a_default_is_refused() {
        assertRefused(JsonTemplates.of("stock", Stock.class), "{}", "is {}");
        assertThatThrownBy(() -> JsonTemplates.of("stock", Stock.class).fromText("text", "{}"))
                .hasMessageContaining("field count is 0, which reads as known");
    }

    @Test
    void what_a_class_hides_is_seen_all_the_same() {
        assertRefused(JsonTemplates.of("quiet", Quiet.class), "{\"amount\":1}", "field text is null");
        assertRefused(JsonTemplates.of("quiet", Quiet.class), "{\"amount\":1,\"text\":\"a\"}", "field more is []");
        assertRefused(
                JsonTemplates.of("quiet", Quiet.class),
                "{\"amount\":0.00,\"text\":\"a\",\"more\":[\"b\"]}",
                "field amount is 0");
    }

    @Test
    void a_version_is_a_text_and_a_value_that_looks_like_one_is_wrapped() {
        JsonTemplates<Map<String, Integer>> numbers = JsonTemplates.of("numbers", new TypeReference<>() {});

        assertRefused(
                numbers,
                "{\"version\":2,\"value\":{\"a\":1}}",
                "must have a text in quotation marks for a version, was 2");
        assertRefused(numbers, "{\"value\":null}", "must not be null");
        assertRefused(numbers, "", "is empty");
        assertThat(numbers.fromText("text", "{\"value\":{\"version\":1,\"value\":2}}")
                        .value())
                .isEqualTo(Map.of("version", 1, "value", 2));
    }

    @Test
    void a_rule_of_the_user_is_kept_for_all_versions() {
        JsonTemplates<Product> named =
                PRODUCT.checked("the name Product", product -> product.name().equals("Product"));

        assertThat(named.fromText("text", GOOD).value().id()).isEqualTo(7);
        assertRefused(
                named,
                GOOD.replace("\"Product\"", "\"Thing\""),
                "must satisfy \"the name Product\", was Product[id=7, name=Thing");
    }

    @Test
    @DisplayName("H6: a file is loaded again while running; a bad one, or none, leaves the old version")
    void a_file_is_reloaded() throws Exception {
        Path file = directory.resolve("unknown.json");
        Files.writeString(file, "{\"version\":\"1\",\"value\":" + GOOD + "}");
        StaticTemplate<Product> declared = PRODUCT.fromFile(file);
        CommandSpec<CallableCommand<Product>, Product> spec = CommandSpec.<Product>callable("product")
                .group("test")
                .fallback(chain -> chain.template(declared))
                .build();
        try (Commands commands = Commands.create()) {
            commands.register(spec);
            commands.templates().reload();
            assertThat(views(commands)).isEqualTo("1 after 0, 0 refused");

            Files.writeString(file, "{\"version\":\"2\",\"value\":" + GOOD.replace("7", "8") + "}");
            commands.templates().reload();
            assertThat(views(commands)).isEqualTo("2 after 1, 0 refused");
            assertThat(failed(commands, spec).id()).isEqualTo(8);

            Files.writeString(file, "{\"version\":\"3\",\"value\":" + GOOD.replace("7", "0") + "}");
            assertThatThrownBy(() -> commands.templates().reload(declared))
                    .hasMessageStartingWith("template unknown-product stays at version 2: template unknown-product"
                            + " from file " + file + " is refused: field id is 0");
            Files.delete(file);
            assertThatThrownBy(() -> commands.templates().reload(declared))
                    .hasMessageContaining("cannot be read: java.nio.file.NoSuchFileException: " + file);
            assertThat(views(commands)).isEqualTo("2 after 1, 2 refused");

            commands.templates().load(declared, () -> PRODUCT.fromText("property x", GOOD.replace("7", "9")));
            assertThat(failed(commands, spec).id()).isEqualTo(9);
            assertThat(commands.templates().views().get(0).loadedFrom()).isEqualTo("property x");
        }
    }

    private static Product failed(Commands commands, CommandSpec<CallableCommand<Product>, Product> spec) {
        return commands.call(spec, () -> {
            throw new IOException("down");
        });
    }

    private static String views(Commands commands) {
        TemplateView view = commands.templates().views().get(0);
        return view.version() + " after " + view.swaps() + ", " + view.refused() + " refused";
    }

    @Test
    void a_resource_that_is_not_there_is_named() {
        assertThatThrownBy(() -> PRODUCT.fromResource("templates/none.json"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("template unknown-product from resource templates/none.json cannot be read:"
                        + " java.io.IOException: there is no such resource");
    }

    record Amount(BigDecimal amount, double rate) {}

    @Test
    void numbers_are_as_exact_as_they_were_written() {
        JsonTemplates<Amount> amounts = JsonTemplates.of("amount", Amount.class);

        for (String written : List.of("10.50", "0.1234567890123456789", "12345678901234567890.12", "1E+400")) {
            assertThat(amounts.fromText("text", "{\"amount\":" + written + ",\"rate\":1.1}")
                            .value())
                    .isEqualTo(new Amount(new BigDecimal(written), 1.1));
        }
        assertRefused(amounts, "{\"amount\":0E+5,\"rate\":1.1}", "field amount is 0");
    }

    @Test
    void a_number_that_is_none_is_refused() {
        JsonTemplates<Amount> amounts = JsonTemplates.of("amount", Amount.class);

        assertRefused(amounts, "{\"amount\":1,\"rate\":\"NaN\"}", "field rate is NaN, which is no number");
        assertRefused(amounts, "{\"amount\":1,\"rate\":1e400}", "field rate is Infinity, which is no number");
    }

    /** Reads what it does not write. */
    static final class Discreet {

        public String name = "";
        private String notice = "";

        public void setNotice(String notice) {
            this.notice = notice;
        }

        String told() {
            return notice;
        }
    }

    @Test
    @DisplayName("H6: a change of a field that a class does not write is another version")
    void a_field_that_is_not_written_tells_versions_apart() throws Exception {
        Path file = directory.resolve("discreet.json");
        Files.writeString(file, "{\"name\":\"a\",\"notice\":\"back at noon\"}");
        StaticTemplate<Discreet> declared =
                JsonTemplates.of("discreet", Discreet.class).fromFile(file);
        try (Commands commands = Commands.create()) {
            commands.register(CommandSpec.<Discreet>callable("discreet")
                    .group("test")
                    .fallback(chain -> chain.template(declared))
                    .build());

            Files.writeString(file, "{\"name\":\"a\",\"notice\":\"back at six\"}");
            commands.templates().reload();

            assertThat(commands.templates().current(declared).value().told()).isEqualTo("back at six");
        }
    }
}
