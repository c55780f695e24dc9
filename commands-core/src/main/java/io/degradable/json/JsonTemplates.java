package io.degradable.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import io.degradable.settings.Require;
import io.degradable.template.StaticTemplate;
import io.degradable.template.TemplateLoader;
import io.degradable.template.TemplateOrigin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * One template that is written in JSON: its type, and what a version of it must not say. Immutable: each method gives
 * another one.
 *
 * <pre>{@code
 * static final JsonTemplates<Product> UNKNOWN = JsonTemplates.of("unknown-product", Product.class)
 *         .mayLack("priceCents")
 *         .zeroMeans("shippingCents", "shipping is free")
 *         .checked("a price or a notice", product -> product.priceCents() != null || product.notice() != null);
 * static final StaticTemplate<Product> UNKNOWN_PRODUCT = UNKNOWN.fromResource("/templates/unknown-product.json");
 * }</pre>
 *
 * <p>The text is the value, or <code>{"version": "2026-11-30", "value": ...}</code>: an object with these fields and no
 * others. Without a version it is called by a checksum of the value. It is refused, with the template, where it was found,
 * and all fields that are wrong, when
 *
 * <ul>
 *   <li>it is no JSON, says a field twice, goes on behind its end, has a field that the type has not, or does not fit it;
 *   <li>a field is null or missing, unless it is named by {@link #mayLack};
 *   <li>a number is 0, also one that is written as a text or is the default of a missing field, unless it is named by
 *       {@link #zeroMeans};
 *   <li>a list or a map is empty, unless the same object has a text in the {@linkplain #noticeIn notice}, or it is named by
 *       {@link #emptyMeans};
 *   <li>a rule of {@link #checked} is not satisfied.
 * </ul>
 *
 * <p>Fields are named by their path from the top: {@code shipping.cents}, {@code items.id} for the items of a list, {@code
 * value} for an answer that is no object.
 *
 * <p>Threading: every method may be called from any thread.
 *
 * @param <T> the type of the answer
 */
public final class JsonTemplates<T> {

    private static final Set<String> ENVELOPE = Set.of("version", "value");
    private static final int CHECKSUM_BYTES = 4;

    /** What Jackson says about its settings, which are ours. */
    private static final Pattern ADVICE = Pattern.compile(" \\([^()]*(?:Feature|Config)[^()]*\\)");

    private final String name;
    private final JavaType type;
    private final ObjectMapper mapper;
    private final Object kind;
    private final Set<String> mayLack;
    private final Set<String> zeros;
    private final Set<String> empties;
    private final String notice;
    private final UnaryOperator<StaticTemplate<T>> checks;

    private JsonTemplates(
            String name,
            JavaType type,
            ObjectMapper mapper,
            Object kind,
            Set<String> mayLack,
            Set<String> zeros,
            Set<String> empties,
            String notice,
            UnaryOperator<StaticTemplate<T>> checks) {
        this.name = name;
        this.type = type;
        this.mapper = mapper;
        this.kind = kind;
        this.mayLack = mayLack;
        this.zeros = zeros;
        this.empties = empties;
        this.notice = notice;
        this.checks = checks;
    }

    private JsonTemplates(String name, JavaType type) {
        this(
                Require.name("template name", name),
                type,
                mapper(Strict.MAPPER),
                new Object(),
                Set.of(),
                Set.of(),
                Set.of(),
                "notice",
                template -> template);
    }

    private static ObjectMapper mapper(ObjectMapper given) {
        return Strict.copyOf(given).configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, true);
    }

    /**
     * A template of a class without type parameters.
     *
     * @param name how it is called in state and logs; 1 to 120 letters, digits and {@code . _ - /}
     */
    public static <T> JsonTemplates<T> of(String name, Class<T> type) {
        return new JsonTemplates<>(
                name, Strict.MAPPER.constructType(Objects.requireNonNull(type, "type must not be null")));
    }

    /** A template of any type. */
    public static <T> JsonTemplates<T> of(String name, TypeReference<T> type) {
        return new JsonTemplates<>(
                name, Strict.MAPPER.constructType(Objects.requireNonNull(type, "type must not be null")));
    }

    /** The same, read with a copy of a mapper, for its modules and formats; it is as strict all the same. */
    public JsonTemplates<T> with(ObjectMapper mapper) {
        Objects.requireNonNull(mapper, "mapper must not be null");
        return new JsonTemplates<>(name, type, mapper(mapper), kind, mayLack, zeros, empties, notice, checks);
    }

    /** Fields that may be null or missing, since whoever reads them shows something else then; default none. */
    public JsonTemplates<T> mayLack(String... fields) {
        Objects.requireNonNull(fields, "fields must not be null");
        Set<String> more = mayLack;
        for (String field : fields) {
            more = with(more, field);
        }
        return new JsonTemplates<>(name, type, mapper, kind, more, zeros, empties, notice, checks);
    }

    /**
     * A field that may be 0, since that is true of what nobody knows; default none.
     *
     * @param meaning what it tells a customer, for whoever reads this next; not blank
     */
    public JsonTemplates<T> zeroMeans(String field, String meaning) {
        requireMeaning(field, meaning);
        return new JsonTemplates<>(name, type, mapper, kind, mayLack, with(zeros, field), empties, notice, checks);
    }

    /** The same for a list or a map that may be empty without a notice beside it. */
    public JsonTemplates<T> emptyMeans(String field, String meaning) {
        requireMeaning(field, meaning);
        return new JsonTemplates<>(name, type, mapper, kind, mayLack, zeros, with(empties, field), notice, checks);
    }

    private void requireMeaning(String field, String meaning) {
        Objects.requireNonNull(meaning, "meaning must not be null");
        Require.that(!meaning.isBlank(), "the meaning of field " + field + " of template " + name + " is blank");
    }

    /** The field with the text that says why a list beside it is empty, and where to go on; default {@code notice}. */
    public JsonTemplates<T> noticeIn(String field) {
        Objects.requireNonNull(field, "field must not be null");
        return new JsonTemplates<>(name, type, mapper, kind, mayLack, zeros, empties, field, checks);
    }

    /** A rule for all versions, see {@link StaticTemplate#checked}. */
    public JsonTemplates<T> checked(String says, Predicate<? super T> rule) {
        Objects.requireNonNull(says, "says must not be null");
        Objects.requireNonNull(rule, "rule must not be null");
        return new JsonTemplates<>(
                name,
                type,
                mapper,
                kind,
                mayLack,
                zeros,
                empties,
                notice,
                template -> checks.apply(template).checked(says, rule));
    }

    private static Set<String> with(Set<String> fields, String field) {
        Set<String> more = new TreeSet<>(fields);
        more.add(Objects.requireNonNull(field, "field must not be null"));
        return more;
    }

    /**
     * Loads the version that a resource on the class path of the type has, and again when it is reloaded.
     *
     * @param path from the top, with or without a slash before it
     * @throws IllegalArgumentException when it is refused, or is not there
     */
    public StaticTemplate<T> fromResource(String path) {
        Objects.requireNonNull(path, "path must not be null");
        return read("resource " + path, () -> resource(path), () -> fromResource(path));
    }

    private byte[] resource(String path) throws IOException {
        ClassLoader own = type.getRawClass().getClassLoader();
        ClassLoader loader = own == null ? Thread.currentThread().getContextClassLoader() : own;
        String fromTop = path.startsWith("/") ? path.substring(1) : path;
        try (InputStream text =
                loader == null ? ClassLoader.getSystemResourceAsStream(fromTop) : loader.getResourceAsStream(fromTop)) {
            if (text == null) {
                throw new IOException("there is no such resource");
            }
            return text.readAllBytes();
        }
    }

    /**
     * Loads the version that a file has, and again when it is reloaded.
     *
     * @throws IllegalArgumentException when it is refused, or cannot be read
     */
    public StaticTemplate<T> fromFile(Path file) {
        Objects.requireNonNull(file, "file must not be null");
        return read("file " + file, () -> Files.readAllBytes(file), () -> fromFile(file));
    }

    /**
     * Loads a version out of a text, once.
     *
     * @param from where it was found, for messages and state: {@code property templates.unknown-product}
     * @throws IllegalArgumentException when it is refused
     */
    public StaticTemplate<T> fromText(String from, String json) {
        Objects.requireNonNull(from, "from must not be null");
        Objects.requireNonNull(json, "json must not be null");
        return read(from, () -> json.getBytes(StandardCharsets.UTF_8), null);
    }

    /** Where the bytes are. */
    private interface Bytes {
        byte[] read() throws IOException;
    }

    private StaticTemplate<T> read(String from, Bytes bytes, @Nullable TemplateLoader<T> again) {
        try {
            JsonNode root = exact().readTree(bytes.read());
            Require.that(root != null && !root.isMissingNode(), described(from) + " is empty");
            return checks.apply(template(from, root, again));
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException(described(from) + " cannot be read: " + text(wrong), wrong);
        } catch (IOException away) {
            throw new IllegalArgumentException(described(from) + " cannot be read: " + away, away);
        }
    }

    private StaticTemplate<T> template(String from, JsonNode root, @Nullable TemplateLoader<T> again)
            throws IOException {
        boolean wrapped = isWrapped(root);
        JsonNode given = wrapped ? root.get("value") : root;
        Require.that(!given.isNull(), described(from) + " must not be null");
        T value = mapper.readerFor(type).readValue(mapper.writeValueAsBytes(given));
        byte[] written = mapper.writerFor(type)
                .without(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                .writeValueAsBytes(value);
        Misleading misleading = new Misleading(mayLack, zeros, empties, notice);
        misleading.look(given);
        misleading.look(
                exact() // what was left out shows here
                        .with(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                        .readTree(written));
        String problems = misleading.all();
        Require.that(problems.isEmpty(), described(from) + " is refused: " + problems);
        // Also of what was given: a class may read what it does not write.
        String checksum = checksum(
                written,
                mapper.writer().with(JsonNodeFeature.WRITE_PROPERTIES_SORTED).writeValueAsBytes(given));
        String version = wrapped && root.has("version") ? version(from, root.get("version")) : checksum;
        return StaticTemplate.loaded(name, value, new TemplateOrigin<>(kind, type, version, from, checksum, again));
    }

    /** Numbers as they were written: 10.50 has two places, and more digits than a double holds are not lost. */
    private ObjectReader exact() {
        return mapper.reader()
                .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    }

    private static boolean isWrapped(JsonNode root) {
        boolean ours = root.isObject() && root.has("value");
        for (var fields = root.fieldNames(); ours && fields.hasNext(); ) {
            ours = ENVELOPE.contains(fields.next());
        }
        return ours;
    }

    private String version(String from, JsonNode version) {
        Require.that(
                version.isTextual(),
                described(from) + " must have a text in quotation marks for a version, was " + version);
        return Require.name("the version of " + described(from), version.textValue());
    }

    private String described(String from) {
        return "template " + name + " from " + from;
    }

    private static String text(JsonProcessingException wrong) {
        StringBuilder path = new StringBuilder();
        if (wrong instanceof JsonMappingException mapping) {
            for (JsonMappingException.Reference field : mapping.getPath()) {
                if (field.getFieldName() != null) {
                    path.append(path.length() == 0 ? "field " : ".").append(field.getFieldName());
                }
            }
        }
        return path
                + (path.length() == 0 ? "" : ": ")
                + ADVICE.matcher(wrong.getOriginalMessage()).replaceAll("");
    }

    /** Short, since people read it: it tells versions apart that follow each other. */
    private static String checksum(byte[] written, byte[] given) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(written);
            byte[] all = digest.digest(given);
            return HexFormat.of().formatHex(all, 0, CHECKSUM_BYTES);
        } catch (NoSuchAlgorithmException never) {
            throw new AssertionError("every JVM has SHA-256", never);
        }
    }

    @Override
    public String toString() {
        return "template " + name + " of " + type.toCanonical() + " in JSON";
    }
}
