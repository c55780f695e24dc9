package io.degradable.stream;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;

/** Writes JSON in memory. Threading: any. */
final class Json {

    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** One value. */
    @FunctionalInterface
    interface Value {
        void write(JsonGenerator json) throws IOException;
    }

    static byte[] bytes(Value value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        append(bytes, value);
        return bytes.toByteArray();
    }

    /** Adds one value, on one line. */
    static void append(ByteArrayOutputStream bytes, Value value) {
        try (JsonGenerator json = FACTORY.createGenerator(bytes, JsonEncoding.UTF8)) {
            value.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a value that is written wrongly; memory does not fail
        }
    }

    /** The word of a constant in tags and fields: lower case. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    static double seconds(long nanos) {
        return nanos / 1e9;
    }

    static double millis(Duration span) {
        return span.toNanos() / 1e6;
    }
}
