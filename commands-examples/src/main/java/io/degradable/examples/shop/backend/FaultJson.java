package io.degradable.examples.shop.backend;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Iterator;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Reads a {@link Fault} from {@code {"mode":"slow","latencyMs":300,"errorRate":0.5}}. Whatever is not exactly that is refused
 * with an {@link IllegalArgumentException} whose message names the field, the value and what is allowed.
 */
public final class FaultJson {
    /** No fault needs a longer body. */
    public static final int MAX_BYTES = 10_000;

    private static final Set<String> FIELDS = Set.of("mode", "latencyMs", "errorRate");
    private static final String ALLOWED = "allowed is one JSON object with mode (one of " + Mode.words()
            + "), latencyMs (a whole number from 0 to " + Fault.MAX_LATENCY_MS
            + ", 0 when left out) and errorRate (a number from 0 to 1, 1 when left out)";
    private static final int LONGEST_QUOTE = 40;

    private static final ObjectReader READER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private FaultJson() {}

    /** Reads one body. */
    public static Fault read(byte[] body) {
        JsonNode json = parse(body);
        if (!json.isObject()) {
            throw new IllegalArgumentException("the body is not a JSON object; " + ALLOWED);
        }
        for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new IllegalArgumentException("unknown field " + quote(name) + "; " + ALLOWED);
            }
        }
        return new Fault(mode(json.get("mode")), latencyMs(json.get("latencyMs")), errorRate(json.get("errorRate")));
    }

    private static JsonNode parse(byte[] body) {
        try {
            return READER.readTree(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the body is not JSON: " + e.getOriginalMessage() + "; " + ALLOWED, e);
        } catch (IOException e) { // bytes that are no characters
            throw new IllegalArgumentException("the body is not JSON: " + e.getMessage() + "; " + ALLOWED, e);
        }
    }

    private static Mode mode(@Nullable JsonNode value) {
        Mode mode = value != null && value.isTextual() ? Mode.find(value.textValue()) : null;
        if (mode == null) {
            throw new IllegalArgumentException("mode must be one of " + Mode.words() + ", " + was(value));
        }
        return mode;
    }

    private static int latencyMs(@Nullable JsonNode value) {
        if (value == null) {
            return 0;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw new IllegalArgumentException(
                    "latencyMs must be a whole number from 0 to " + Fault.MAX_LATENCY_MS + ", " + was(value));
        }
        return value.intValue();
    }

    private static double errorRate(@Nullable JsonNode value) {
        if (value == null) {
            return 1;
        }
        if (!value.isNumber()) {
            throw new IllegalArgumentException("errorRate must be a number from 0 to 1, " + was(value));
        }
        return value.doubleValue();
    }

    private static String was(@Nullable JsonNode value) {
        return value == null ? "was left out" : "was " + quote(value.toString());
    }

    /** A sender's own text goes into a message only in part: it may be as long as the body. */
    private static String quote(String text) {
        return text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + "...";
    }
}
