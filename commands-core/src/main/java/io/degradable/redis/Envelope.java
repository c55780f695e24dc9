package io.degradable.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/**
 * The layout of a copy in Redis, for one cache: pure functions on bytes. Numbers are big-endian.
 *
 * <pre>
 *   0       4         5      6       14       18
 *   | magic | version | kind | stamp | length | cache | key | codecs | value | checksum |
 *       4        1       1       8        4      4+n    4+n    4+n      4+n       4
 * </pre>
 *
 * <p>Length is that of everything. The part up to it lies where it is in every later version, too: the script that decides
 * which of two copies is younger looks no further. Cache and key come next, so that a reply that belongs to somebody else is
 * seen before it is read any further. The checksum is CRC-32C over everything before it.
 *
 * <p>Threading: immutable.
 */
final class Envelope {

    static final byte VERSION = 1;
    static final int VERSION_AT = 4;
    static final int HEADER = 18;

    private static final int MAGIC = 0xD6_44_47_52; // no text in UTF-8 begins with this, so no JSON and no number does
    private static final int CHECKSUM = Integer.BYTES;
    private static final byte COPY = 0;
    private static final byte MARK = 1;

    private final byte[] cache;
    private final byte[] codecs;

    /** Of the copies of one cache, written with the codecs of these names. */
    Envelope(String cache, String codecs) {
        this.cache = cache.getBytes(UTF_8);
        this.codecs = codecs.getBytes(UTF_8);
    }

    /** What was found in an envelope. */
    static final class Opened {

        private final @Nullable Unreadable unreadable;
        private final @Nullable byte[] value;
        private final long stampEpochNanos;

        private Opened(@Nullable Unreadable unreadable, @Nullable byte[] value, long stampEpochNanos) {
            this.unreadable = unreadable;
            this.value = value;
            this.stampEpochNanos = stampEpochNanos;
        }

        private static Opened not(Unreadable reason) {
            return new Opened(reason, null, 0);
        }

        /** Why it cannot be read; null when it can. */
        @Nullable
        Unreadable unreadable() {
            return unreadable;
        }

        /** Null for the mark of an invalidation. */
        @Nullable
        byte[] value() {
            return value;
        }

        long stampEpochNanos() {
            return stampEpochNanos;
        }
    }

    /** An envelope around a copy, or around nothing: the mark of an invalidation. */
    byte[] seal(byte[] key, @Nullable byte[] value, long stampEpochNanos) {
        byte[] content = value == null ? new byte[0] : value;
        long length =
                HEADER + 4L * Integer.BYTES + cache.length + key.length + codecs.length + content.length + CHECKSUM;
        ByteBuffer sealed = ByteBuffer.allocate(Math.toIntExact(length));
        sealed.putInt(MAGIC)
                .put(VERSION)
                .put(value == null ? MARK : COPY)
                .putLong(stampEpochNanos)
                .putInt(sealed.capacity());
        for (byte[] part : new byte[][] {cache, key, codecs, content}) {
            sealed.putInt(part.length).put(part);
        }
        return sealed.putInt(checksum(sealed.array())).array();
    }

    /** What lies in an envelope that was found under this key. Never throws, whatever the bytes are. */
    Opened open(byte[] key, byte[] sealed) {
        Unreadable outside = judgedFromOutside(sealed);
        if (outside != null) {
            return Opened.not(outside);
        }
        try {
            return opened(key, ByteBuffer.wrap(sealed));
        } catch (BufferUnderflowException | NegativeArraySizeException madeWrong) {
            return Opened.not(Unreadable.CORRUPT); // its checksum fits, so somebody made it on purpose
        }
    }

    private static @Nullable Unreadable judgedFromOutside(byte[] sealed) {
        if (!hasMagic(sealed)) {
            return Unreadable.FOREIGN;
        }
        if (sealed.length > VERSION_AT && sealed[VERSION_AT] > VERSION) {
            return Unreadable.NEWER;
        }
        if (sealed.length < HEADER + CHECKSUM) {
            return Unreadable.TRUNCATED;
        }
        int length = announced(sealed);
        if (sealed.length < length) {
            return Unreadable.TRUNCATED;
        }
        boolean intact = sealed.length == length
                && sealed[VERSION_AT] == VERSION
                && Arrays.equals(checksumOf(sealed), 0, CHECKSUM, sealed, length - CHECKSUM, length);
        return intact ? null : Unreadable.CORRUPT;
    }

    private Opened opened(byte[] key, ByteBuffer sealed) {
        byte kind = sealed.get(VERSION_AT + 1);
        long stamp = sealed.getLong(VERSION_AT + 2);
        sealed.position(HEADER).limit(sealed.capacity() - CHECKSUM);
        if (!next(sealed, cache) || !next(sealed, key)) {
            return Opened.not(Unreadable.OTHER_KEY);
        }
        if (!next(sealed, codecs)) {
            return Opened.not(Unreadable.OTHER_FORM);
        }
        byte[] value = part(sealed);
        boolean whole = !sealed.hasRemaining() && (kind == COPY || (kind == MARK && value.length == 0));
        return whole ? new Opened(null, kind == MARK ? null : value, stamp) : Opened.not(Unreadable.CORRUPT);
    }

    private static boolean next(ByteBuffer sealed, byte[] expected) {
        return Arrays.equals(part(sealed), expected);
    }

    private static byte[] part(ByteBuffer sealed) {
        int length = sealed.getInt();
        if (length > sealed.remaining()) {
            throw new BufferUnderflowException(); // before anything of that size is made
        }
        byte[] part = new byte[length];
        sealed.get(part);
        return part;
    }

    /**
     * Whether these bytes can be the reply to a question for this key, as far as can be told at once. A connection that has
     * got out of step hands out what others asked for.
     */
    boolean answers(byte[] key, byte[] sealed) {
        if (!hasMagic(sealed)) {
            return false;
        }
        if (sealed.length <= VERSION_AT || sealed[VERSION_AT] != VERSION) {
            return true; // of ours, and laid out as nobody here knows
        }
        int end = HEADER + 2 * Integer.BYTES + cache.length + key.length;
        byte[] expected = ByteBuffer.allocate(end - HEADER)
                .putInt(cache.length)
                .put(cache)
                .putInt(key.length)
                .put(key)
                .array();
        return sealed.length >= end
                && sealed.length == announced(sealed)
                && Arrays.equals(expected, 0, expected.length, sealed, HEADER, end);
    }

    /** The last bytes of an envelope, which tell it from every other. */
    static byte[] checksumIn(byte[] sealed) {
        return Arrays.copyOfRange(sealed, sealed.length - CHECKSUM, sealed.length);
    }

    private static int announced(byte[] sealed) {
        return ByteBuffer.wrap(sealed).getInt(HEADER - Integer.BYTES);
    }

    private static boolean hasMagic(byte[] sealed) {
        return sealed.length >= Integer.BYTES && ByteBuffer.wrap(sealed).getInt() == MAGIC;
    }

    private static byte[] checksumOf(byte[] sealed) {
        return ByteBuffer.allocate(CHECKSUM).putInt(checksum(sealed)).array();
    }

    private static int checksum(byte[] sealed) {
        CRC32C checksum = new CRC32C();
        checksum.update(sealed, 0, sealed.length - CHECKSUM);
        return (int) checksum.getValue();
    }
}
