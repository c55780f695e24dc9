package io.degradable.snapshots;

import java.util.Arrays;

/** Records one after the other, uncompressed, and a place among them. Not for several threads. */
final class Block {

    private byte[] bytes;
    private int length;
    private int at;

    Block(int capacity) {
        this.bytes = new byte[capacity];
    }

    // ---- writing ----

    void clear() {
        length = 0;
        at = 0;
    }

    void add(byte[] key, byte[] value) {
        ensure(length + key.length + value.length + 10L);
        put(key);
        put(value);
    }

    private void put(byte[] part) {
        int left = part.length;
        while (left >= 0x80) {
            bytes[length++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[length++] = (byte) left;
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
    }

    private void ensure(long capacity) {
        if (capacity > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.toIntExact(Math.max(capacity, bytes.length * 2L)));
        }
    }

    /** Makes room for what is to be put into {@link #bytes}, and goes to its beginning. */
    void reset(int newLength) {
        if (newLength > bytes.length) {
            bytes = new byte[newLength];
        }
        length = newLength;
        at = 0;
    }

    // ---- reading ----

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void goTo(int offset) {
        at = offset;
    }

    /** Goes to a record by passing those before it: a place in the middle of one might look like another. */
    void goToRecord(int offset) {
        at = 0;
        while (at < offset && !atEnd()) {
            pass();
            pass();
        }
        if (at != offset) {
            throw new IllegalStateException("no record begins at " + offset);
        }
    }

    private void pass() {
        int partLength = partLength();
        at += partLength;
    }

    boolean atEnd() {
        return at >= length;
    }

    /** Whether the part that comes next is this one, which is passed. */
    boolean nextIs(byte[] part) {
        int partLength = partLength();
        boolean same = Arrays.equals(bytes, at, at + partLength, part, 0, part.length);
        at += partLength;
        return same;
    }

    /** The part that comes next. */
    byte[] next() {
        int partLength = partLength();
        byte[] part = Arrays.copyOfRange(bytes, at, at + partLength);
        at += partLength;
        return part;
    }

    private int partLength() {
        int value = 0;
        for (int shift = 0; shift < 32; shift += 7) {
            byte one = at < length ? bytes[at++] : 0;
            value |= (one & 0x7F) << shift;
            if (one >= 0) {
                break;
            }
        }
        if (value < 0 || value > length - at) {
            throw new IllegalStateException("a part of " + value + " bytes where " + (length - at) + " are left");
        }
        return value;
    }
}
