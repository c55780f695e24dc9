package io.degradable.examples.shop.http;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** Reads what customers send: one JSON object whose fields are exactly those of a record. */
public final class Bodies {
    private static final int MAX_BYTES = 10_000;

    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .build()
            .reader();

    private Bodies() {}

    /**
     * Reads the body of a request; blocks while it arrives.
     *
     * @throws IllegalArgumentException when it is not such an object; the message does not repeat what was sent, which may be
     *     a password
     */
    public static <T> T read(Request request, Class<T> type) throws IOException {
        byte[] body;
        try (InputStream stream = Content.Source.asInputStream(request)) {
            body = stream.readNBytes(MAX_BYTES + 1);
        }
        if (body.length > MAX_BYTES) {
            throw new IllegalArgumentException("the body must not be longer than " + MAX_BYTES + " bytes");
        }
        T value;
        try {
            value = JSON.forType(type).readValue(body);
        } catch (IOException wrong) {
            throw new IllegalArgumentException("the body is not what is expected", wrong);
        }
        if (value == null) {
            throw new IllegalArgumentException("the body is not what is expected");
        }
        return value;
    }
}
