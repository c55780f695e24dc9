package io.degradable.snapshots;

import io.degradable.time.Ticker;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.DataFormatException;
import javax.annotation.Nullable;

/**
 * One file that was checked as a whole and is mapped. The file itself is closed by then, and may be deleted.
 *
 * <p>Threading: every method may be called from any thread.
 */
final class SnapshotFile<K, T> {

    private static final int LENGTHS = 2 * Integer.BYTES;

    private final SnapshotSpec<K, T> spec;
    private final Head head;
    private final Mapping mapping;
    private final KeyHash hash;
    private final Unpacker.Pool unpackers;
    private final long stampNanos;

    private SnapshotFile(
            SnapshotSpec<K, T> spec,
            Head head,
            Mapping mapping,
            KeyHash hash,
            Unpacker.Pool unpackers,
            long stampNanos) {
        this.spec = spec;
        this.head = head;
        this.mapping = mapping;
        this.hash = hash;
        this.unpackers = unpackers;
        this.stampNanos = stampNanos;
    }

    /** Is handed each record. */
    interface Visitor {
        void visit(byte[] key, byte[] value) throws Exception;
    }

    /** How files are opened; hash and pieces are the tests' to change. */
    record Opening(KeyHash hash, int pieceBits, Unpacker.Pool unpackers) {

        static Opening standard() {
            return new Opening(KeyHash.STANDARD, Mapping.PIECE_BITS, new Unpacker.Pool());
        }
    }

    /**
     * Maps and checks a file.
     *
     * @throws SnapshotException when it is not a whole snapshot of this kind
     * @throws IOException when it could not be read, which may pass
     */
    static <K, T> SnapshotFile<K, T> open(
            SnapshotSpec<K, T> spec, SnapshotDirectory.Version version, Opening opening, Ticker ticker)
            throws IOException, SnapshotException, InterruptedException {
        Path file = version.file();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Head head = Head.of(file, channel);
            mustBeTheSame(file, "version", String.valueOf(version.number()), String.valueOf(head.version()));
            mustBeTheSame(file, "snapshot", spec.name(), head.name());
            mustBeTheSame(file, "codec of the keys", spec.keys().name(), head.keys());
            mustBeTheSame(file, "codec of the records", spec.values().name(), head.values());
            Mapping mapping = new Mapping(channel, head.length(), overlap(head), opening.pieceBits);
            if (mapping.crc(Head.BYTES, head.indexOffset()) != head.dataCrc()) {
                throw new SnapshotException(file + " is broken: the checksum of its records is another one");
            }
            if (mapping.crc(head.indexOffset(), head.length()) != head.indexCrc()) {
                throw new SnapshotException(file + " is broken: the checksum of its index is another one");
            }
            long age = Math.max(0, ticker.epochNanos() - head.createdAtEpochNanos());
            return new SnapshotFile<>(spec, head, mapping, opening.hash, opening.unpackers, ticker.nanos() - age);
        } catch (InternalError unmapped) {
            throw new IOException(file + " became shorter while it was read", unmapped);
        }
    }

    /** A packed block and its lengths have at most so many bytes. */
    private static int overlap(Head head) {
        return Math.max(head.largestBlock() + head.largestBlock() / 8, 1 << 10) + LENGTHS;
    }

    private static void mustBeTheSame(Path file, String what, String wanted, String found) throws SnapshotException {
        if (!wanted.equals(found)) {
            throw new SnapshotException(file + " has another " + what + ": " + found + ", wanted is " + wanted);
        }
    }

    Head head() {
        return head;
    }

    /** When its building began, as a reading of the ticker. */
    long stampNanos() {
        return stampNanos;
    }

    @Nullable
    T find(K key) throws Exception {
        byte[] value = find(spec.keys().encode(key));
        return value == null ? null : spec.values().decode(value);
    }

    private @Nullable byte[] find(byte[] key) throws SnapshotException {
        long wanted = hash.of(key);
        long slots = head.slots();
        long slot = wanted & (slots - 1);
        Unpacker unpacker = unpackers.take();
        try {
            for (long looked = 0; looked < slots; looked++) {
                long at = head.indexOffset() + slot * Head.SLOT_BYTES;
                long position = mapping.longAt(at + Long.BYTES);
                if (position == 0) {
                    return null;
                }
                if (mapping.longAt(at) == wanted) {
                    Block block = unpacked(unpacker, position >>> 16);
                    block.goToRecord((int) position & 0xFFFF);
                    if (block.nextIs(key)) { // two keys may have one hash
                        return block.next();
                    }
                }
                slot = (slot + 1) & (slots - 1);
            }
            return null;
        } catch (DataFormatException | RuntimeException | InternalError broken) {
            throw broken(broken);
        } finally {
            unpackers.giveBack(unpacker);
        }
    }

    private Block unpacked(Unpacker unpacker, long blockAt) throws DataFormatException {
        int length = mapping.intAt(blockAt);
        int packed = mapping.intAt(blockAt + Integer.BYTES);
        if (length < 0 || length > head.largestBlock() || packed < 0 || packed > overlap(head)) {
            throw new DataFormatException("a block of " + length + " bytes, packed " + packed);
        }
        mapping.copy(blockAt + LENGTHS, unpacker.packed(packed), packed);
        return unpacker.unpacked(packed, length);
    }

    SnapshotException broken(Throwable cause) {
        return new SnapshotException(
                "version " + head.version() + " of snapshot " + head.name()
                        + " is broken: it was changed after it was opened, or the disk fails",
                cause);
    }

    /** Hands out all records, in the order of the source. */
    void forEach(Visitor visitor) throws Exception {
        long at = Head.BYTES;
        while (at < head.indexOffset()) {
            Block block;
            // One of its own: the visitor may take a while.
            try (Unpacker unpacker = new Unpacker()) {
                block = unpacked(unpacker, at);
                at += LENGTHS + mapping.intAt(at + Integer.BYTES);
            } catch (DataFormatException | RuntimeException | InternalError broken) {
                throw broken(broken);
            }
            while (!block.atEnd()) {
                visitor.visit(block.next(), block.next());
            }
        }
    }
}
