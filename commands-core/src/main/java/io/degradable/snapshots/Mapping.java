package io.degradable.snapshots;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * A whole file in memory that is not the heap's. A buffer ends at 2 GB, so a longer file lies in pieces, one beginning each
 * {@code 1 << pieceBits} bytes, which overlap: what is no longer than the overlap lies in one piece.
 *
 * <p>Mapped and not read through a channel, since a channel closes itself under all others when one reading thread is
 * interrupted, and this library interrupts its workers. Nothing unmaps it by force: a lookup that was late would end the
 * process. The JVM unmaps the pieces once nobody can reach them any more.
 *
 * <p>Bytes are copied onto the heap before anything looks at them. When a file was cut off under the mapping, or the disk
 * cannot be read, the copy is an {@link InternalError}; native code that reads the mapping itself, as an inflater or a
 * checksum does, would end the process.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class Mapping {

    static final int PIECE_BITS = 30;

    private static final int AT_ONCE = 64 << 10;

    private final MappedByteBuffer[] pieces;
    private final int pieceBits;

    /**
     * Maps a file.
     *
     * @param length of the file, above 0
     * @param overlap of the pieces, less than 1 GB
     */
    Mapping(FileChannel channel, long length, int overlap, int pieceBits) throws IOException {
        this.pieceBits = pieceBits;
        this.pieces = new MappedByteBuffer[Math.toIntExact(((length - 1) >>> pieceBits) + 1)];
        for (int i = 0; i < pieces.length; i++) {
            long from = (long) i << pieceBits;
            long size = Math.min(length - from, (1L << pieceBits) + overlap);
            pieces[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, size);
        }
    }

    long longAt(long offset) {
        return pieces[(int) (offset >>> pieceBits)].getLong(inPiece(offset));
    }

    int intAt(long offset) {
        return pieces[(int) (offset >>> pieceBits)].getInt(inPiece(offset));
    }

    /** Copies some bytes, no more than the overlap. */
    void copy(long offset, byte[] into, int length) {
        pieces[(int) (offset >>> pieceBits)].get(inPiece(offset), into, 0, length);
    }

    private int inPiece(long offset) {
        return (int) (offset & ((1L << pieceBits) - 1));
    }

    /**
     * The checksum of a section.
     *
     * @throws InterruptedException when the thread is interrupted meanwhile
     */
    int crc(long from, long to) throws InterruptedException {
        CRC32C crc = new CRC32C();
        byte[] some = new byte[AT_ONCE];
        long at = from;
        while (at < to) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while a snapshot was checked");
            }
            long endOfPiece = ((at >>> pieceBits) + 1) << pieceBits;
            int length = (int) Math.min(AT_ONCE, Math.min(to, endOfPiece) - at);
            copy(at, some, length);
            crc.update(some, 0, length);
            at += length;
        }
        return (int) crc.getValue();
    }
}
