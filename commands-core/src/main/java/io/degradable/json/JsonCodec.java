package io.degradable.json;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.degradable.cache.Codec;
import java.util.Objects;

/**
 * Copies, and keys, in JSON. Written are all fields, those that are null, too, in the order of their names, so equal keys
 * have equal bytes as long as their order is one: no set, and no field that {@code equals} does not look at. Read is what
 * has all that the type needs; a field that it does not know is passed over, since another instance may run a newer version.
 *
 * <p>What cannot be read is an exception, and with that a miss of the cache: a field of a record that is missing, null for a
 * primitive, a text for a number, something behind the end. What shows no field at all cannot be written.
 *
 * <p>Threading: immutable, every method may be called from any thread.
 *
 * @param <T> what is written and read; not null
 */
public final class JsonCodec<T> implements Codec<T> {

    private final JavaType type;
    private final ObjectMapper mapper;

    private JsonCodec(JavaType type, ObjectMapper given) {
        this.type = type;
        this.mapper = Strict.copyOf(given)
                .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false)
                .configure(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES, true)
                // Or all keys of a class that shows no fields would be {}, and one caller gets the copy of another.
                .configure(SerializationFeature.FAIL_ON_EMPTY_BEANS, true);
    }

    /** A codec for a class without type parameters. */
    public static <T> JsonCodec<T> of(Class<T> type) {
        return new JsonCodec<>(
                Strict.MAPPER.constructType(Objects.requireNonNull(type, "type must not be null")), Strict.MAPPER);
    }

    /** A codec for any type: {@code JsonCodec.of(new TypeReference<List<Product>>() {})}. */
    public static <T> JsonCodec<T> of(TypeReference<T> type) {
        return new JsonCodec<>(
                Strict.MAPPER.constructType(Objects.requireNonNull(type, "type must not be null")), Strict.MAPPER);
    }

    /**
     * The same codec over a copy of a mapper, for its modules and formats; what is said above holds all the same. The name
     * does not change, so the bytes of all instances that share a store have to be readable for each.
     */
    public JsonCodec<T> with(ObjectMapper mapper) {
        return new JsonCodec<>(type, Objects.requireNonNull(mapper, "mapper must not be null"));
    }

    /** {@code json:} and the type with its packages and parameters. */
    @Override
    public String name() {
        return "json:" + type.toCanonical();
    }

    @Override
    public byte[] encode(T value) throws Exception {
        Objects.requireNonNull(value, () -> "value for " + name() + " must not be null");
        return mapper.writerFor(type).writeValueAsBytes(value);
    }

    @Override
    public T decode(byte[] bytes) throws Exception {
        T value = mapper.readerFor(type).readValue(bytes);
        return Objects.requireNonNull(value, () -> name() + " has read null");
    }

    @Override
    public String toString() {
        return name();
    }
}
