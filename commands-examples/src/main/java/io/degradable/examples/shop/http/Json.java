package io.degradable.examples.shop.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Writes values as JSON answers: records, maps, lists, text and numbers. */
public final class Json {
    private static final ObjectWriter JSON = JsonMapper.builder().build().writer();

    private Json() {}

    /** Ends a request with this status and this value. Headers set before stay. */
    public static void write(Response response, Callback callback, int status, Object value) {
        write(response, callback, status, "application/json", value);
    }

    static void write(Response response, Callback callback, int status, String contentType, Object value) {
        byte[] json = bytes(value); // first: an answer that cannot be written must not have begun
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, json.length);
        response.write(true, ByteBuffer.wrap(json), callback);
    }

    private static byte[] bytes(Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not writable as JSON: a " + value.getClass().getName(), e);
        }
    }
}
