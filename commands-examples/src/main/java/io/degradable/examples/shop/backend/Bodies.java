package io.degradable.examples.shop.backend;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import javax.annotation.Nullable;

/** Reads what clients send. */
final class Bodies {
    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private Bodies() {}

    /** The body as that type, or null when it is not one. */
    @Nullable
    static <T> T read(String body, Class<T> type) {
        try {
            return JSON.forType(type).readValue(body);
        } catch (IOException e) { // the sender's mistake, whatever it is in detail
            return null;
        }
    }
}
