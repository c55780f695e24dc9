package io.degradable.cache;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/**
 * The form in which keys or copies leave the process. What cannot be decoded is a miss, and counted; it is never somebody
 * else's data.
 *
 * <p>Threading: every method may be called from any thread.
 *
 * @param <T> what is written and read
 */
public interface Codec<T> {

    /** Names the form, as {@code json:Product}. Two codecs of one name read each other's bytes. */
    String name();

    /** The bytes of a value. Of a key: equal keys have equal bytes, other keys have others. */
    byte[] encode(T value) throws Exception;

    /**
     * The value that the bytes were made from.
     *
     * @throws Exception when they were not made by this codec
     */
    T decode(byte[] bytes) throws Exception;

    /** Bytes as they are. The array is handed out as it is stored, so nobody may change it. */
    static Codec<byte[]> bytes() {
        return Plain.BYTES;
    }

    /** Text in UTF-8. */
    static Codec<String> strings() {
        return Plain.STRINGS;
    }

    /** Numbers, in eight bytes. */
    static Codec<Long> longs() {
        return Plain.LONGS;
    }

    /** The codecs without a choice. */
    final class Plain {

        private static final Codec<byte[]> BYTES = new Codec<>() {
            @Override
            public String name() {
                return "bytes";
            }

            @Override
            public byte[] encode(byte[] value) {
                return value;
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return bytes;
            }
        };

        private static final Codec<String> STRINGS = new Codec<>() {
            @Override
            public String name() {
                return "utf-8";
            }

            @Override
            public byte[] encode(String value) throws CharacterCodingException {
                // An encoder of its own reports what getBytes would replace: half a pair of surrogates.
                ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(value));
                byte[] bytes = new byte[encoded.remaining()];
                encoded.get(bytes);
                return bytes;
            }

            @Override
            public String decode(byte[] bytes) throws CharacterCodingException {
                CharsetDecoder strict = StandardCharsets.UTF_8.newDecoder();
                return strict.decode(ByteBuffer.wrap(bytes)).toString();
            }
        };

        private static final Codec<Long> LONGS = new Codec<>() {
            @Override
            public String name() {
                return "int64";
            }

            @Override
            public byte[] encode(Long value) {
                return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
            }

            @Override
            public Long decode(byte[] bytes) {
                if (bytes.length != Long.BYTES) {
                    throw new IllegalArgumentException("a number has 8 bytes, not " + bytes.length);
                }
                return ByteBuffer.wrap(bytes).getLong();
            }
        };

        private Plain() {}
    }
}
