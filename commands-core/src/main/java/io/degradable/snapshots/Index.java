package io.degradable.snapshots;

import java.io.IOException;

/**
 * The index while it is built: the slots as they will stand in the file, in memory, 16 bytes each. A slot is taken by open
 * addressing with steps of one, and at most two of three are. Not for several threads.
 */
final class Index {

    private static final int LARGEST_BITS = 29;

    /** Looks into a record that has the same hash. */
    interface Keys {
        boolean isAt(long position, byte[] key) throws IOException;
    }

    private int bits = 10;
    private long[] slots = new long[2 << bits];
    private long records;

    long records() {
        return records;
    }

    int bits() {
        return bits;
    }

    /** Hash and position in turns. */
    long[] slots() {
        return slots;
    }

    /**
     * Adds a key.
     *
     * @param position where its record is, never 0
     * @return false when the same key is there
     */
    boolean add(long hash, long position, byte[] key, Keys keys) throws IOException {
        if (records * 3 >= 2L << bits) {
            grow();
        }
        int slot = slot(hash);
        while (slots[slot + 1] != 0) {
            if (slots[slot] == hash && keys.isAt(slots[slot + 1], key)) {
                return false;
            }
            slot = after(slot);
        }
        slots[slot] = hash;
        slots[slot + 1] = position;
        records++;
        return true;
    }

    private void grow() {
        if (bits == LARGEST_BITS) {
            throw new IllegalStateException("more than " + records + " records are too many");
        }
        long[] before = slots;
        bits++;
        slots = new long[2 << bits];
        for (int i = 0; i < before.length; i += 2) {
            if (before[i + 1] != 0) {
                int slot = slot(before[i]);
                while (slots[slot + 1] != 0) {
                    slot = after(slot);
                }
                slots[slot] = before[i];
                slots[slot + 1] = before[i + 1];
            }
        }
    }

    private int slot(long hash) {
        return ((int) hash & ((1 << bits) - 1)) << 1;
    }

    private int after(int slot) {
        return (slot + 2) & (slots.length - 1);
    }
}
