package io.degradable.snapshots;

import java.io.IOException;
import java.nio.ByteBuffer;
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
 * <p>Threading: every method may be called from any thread.
 */
final class Mapping {

    static final int PIECE_BITS = 30;

    private static final int AT_ONCE = 1 << 20;

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

    /** Some bytes, no more than the overlap. */
    ByteBuffer slice(long offset, int length) {
        return pieces[(int) (offset >>> pieceBits)].slice(inPiece(offset), length);
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
        long at = from;
        while (at < to) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while a snapshot was checked");
            }
            long endOfPiece = ((at >>> pieceBits) + 1) << pieceBits;
            int length = (int) Math.min(AT_ONCE, Math.min(to, endOfPiece) - at);
            crc.update(slice(at, length));
            at += length;
        }
        return (int) crc.getValue();
    }
}
