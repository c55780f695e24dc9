package io.degradable.snapshots;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * 64 bits of a key's bytes, the same on every machine: it is part of the file format. Each eight bytes go through the
 * finalizer of MurmurHash3 (Austin Appleby, public domain). Not for keys that an attacker chooses to collide: those make
 * lookups slow, never wrong.
 */
interface KeyHash {

    KeyHash STANDARD = KeyHash::mixed;

    long of(byte[] key);

    private static long mixed(byte[] key) {
        long hash = 0x9E3779B97F4A7C15L ^ key.length;
        int i = 0;
        for (; i + Long.BYTES <= key.length; i += Long.BYTES) {
            hash = finished(hash ^ Longs.at(key, i));
        }
        long rest = 0;
        for (; i < key.length; i++) {
            rest = rest << 8 | (key[i] & 0xFF);
        }
        return finished(hash ^ rest);
    }

    private static long finished(long bits) {
        long mixed = (bits ^ bits >>> 33) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ mixed >>> 33;
    }

    /** Eight bytes at once. */
    final class Longs {

        private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        private Longs() {}

        private static long at(byte[] bytes, int offset) {
            return (long) LONGS.get(bytes, offset);
        }
    }
}
