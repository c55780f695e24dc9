package io.degradable.snapshots;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Uncompresses blocks. Belongs to one thread while it is out of its {@link Pool}: each holds some 40 KB outside the heap. */
final class Unpacker implements AutoCloseable {

    private static final int KEPT_BYTES = 64 << 10;

    private final Inflater inflater = new Inflater();
    private final byte[] noRoom = new byte[1];
    private Block block = new Block(FileWriter.BLOCK_BYTES * 2);
    private byte[] packed = new byte[FileWriter.BLOCK_BYTES * 2];

    /** Those that are free, at most 16; the rest ends after use. */
    static final class Pool {

        private static final int KEPT = 16;

        private final Queue<Unpacker> free = new ArrayBlockingQueue<>(KEPT);
        private volatile boolean closed;

        Unpacker take() {
            Unpacker taken = free.poll();
            return taken == null ? new Unpacker() : taken;
        }

        void giveBack(Unpacker unpacker) {
            if (unpacker.block.bytes().length > KEPT_BYTES || unpacker.packed.length > KEPT_BYTES) {
                unpacker.block = new Block(FileWriter.BLOCK_BYTES * 2); // one long record is no reason to hold so much
                unpacker.packed = new byte[FileWriter.BLOCK_BYTES * 2];
            }
            if (closed || !free.offer(unpacker)) {
                unpacker.close();
            } else if (closed) {
                close(); // it came between the look and the offer
            }
        }

        void close() {
            closed = true;
            for (Unpacker one = free.poll(); one != null; one = free.poll()) {
                one.close();
            }
        }
    }

    /** Room for the compressed form of a block. */
    byte[] packed(int length) {
        if (length > packed.length) {
            packed = new byte[length];
        }
        return packed;
    }

    /** The block of which {@link #packed} has the compressed form; it is there until the next is asked for. */
    Block unpacked(int packedLength, int length) throws DataFormatException {
        block.reset(length);
        inflater.reset();
        inflater.setInput(packed, 0, packedLength);
        int done = 0;
        while (done < length) {
            int part = inflater.inflate(block.bytes(), done, length - done);
            if (part == 0) {
                throw new DataFormatException("it ends after " + done + " bytes of " + length);
            }
            done += part;
        }
        // The last step reads the checksum behind the data, for which there is no room to be had.
        if (!inflater.finished() && (inflater.inflate(noRoom) != 0 || !inflater.finished())) {
            throw new DataFormatException("it is longer than " + length + " bytes");
        }
        return block;
    }

    @Override
    public void close() {
        inflater.end();
    }
}
