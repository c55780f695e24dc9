package io.degradable.snapshots;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The first 1,024 bytes of a snapshot's file. Every byte of the file is under a checksum: those of the head under the head's
 * own, data and index under one each, which the head holds.
 *
 * <pre>
 *   0     magic, 8 bytes          24  created at, epoch nanoseconds     48  where the index begins
 *   8     format, 4               32  records                           56  slots of the index, as a power of two, 4
 *   12    nothing, 4              40  length of the file                60  bytes of the largest block, uncompressed, 4
 *   16    version                 64  CRC32C of the data, 4             68  CRC32C of the index, 4
 *   72    name, codec of the keys, codec of the records: each its length in 2 bytes, then UTF-8; zeros up to
 *   1020  CRC32C of all before, 4
 *   1024  data: blocks, each its length uncompressed and compressed, 4 bytes each, then zlib
 *         a block: records, each length of the key, key, length of the value, value; lengths as unsigned LEB128
 *   ....  index: slots of 16 bytes, hash of the key, then where its record is: block << 16 | offset in the block; 0 is empty
 * </pre>
 *
 * Numbers are big-endian.
 */
record Head(
        String name,
        String keys,
        String values,
        long version,
        long createdAtEpochNanos,
        long records,
        long length,
        long indexOffset,
        int slotBits,
        int largestBlock,
        int dataCrc,
        int indexCrc) {

    static final int BYTES = 1_024;
    static final int SLOT_BYTES = 16;
    static final int FORMAT = 1;

    private static final int CRC_AT = BYTES - Integer.BYTES;

    /** Neither text nor anything else, and broken by who transfers it as text. */
    private static final byte[] MAGIC = {(byte) 0x89, 'D', 'G', 'S', 'N', '\r', '\n', 0x1A};

    ByteBuffer encoded() {
        ByteBuffer head = ByteBuffer.allocate(BYTES);
        head.put(MAGIC).putInt(FORMAT).putInt(0);
        head.putLong(version).putLong(createdAtEpochNanos).putLong(records).putLong(length);
        head.putLong(indexOffset)
                .putInt(slotBits)
                .putInt(largestBlock)
                .putInt(dataCrc)
                .putInt(indexCrc);
        for (String text : new String[] {name, keys, values}) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            head.putShort((short) bytes.length).put(bytes);
        }
        head.putInt(CRC_AT, crc(head.array()));
        return head.clear();
    }

    /**
     * The head of a file, which has the length that the head tells.
     *
     * @throws SnapshotException when it is not a snapshot that this library can read
     * @throws IOException when the file cannot be read
     */
    static Head of(Path file) throws IOException, SnapshotException {
        if (!Files.readAttributes(file, BasicFileAttributes.class)
                .isRegularFile()) { // a pipe would wait for its writer
            throw new SnapshotException(file + " is not a snapshot: it is not a file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return of(file, channel);
        }
    }

    static Head of(Path file, FileChannel channel) throws IOException, SnapshotException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
            // a read may give less than was asked for
        }
        byte[] head = bytes.array();
        if (bytes.position() < MAGIC.length + Integer.BYTES || !Arrays.equals(head, 0, 8, MAGIC, 0, 8)) {
            throw new SnapshotException(file + " is not a snapshot: it does not begin as one");
        }
        int format = bytes.getInt(8);
        if (format > FORMAT || format < 1) {
            throw new SnapshotException(file + " has the format " + format + ", this library reads up to " + FORMAT);
        }
        if (bytes.hasRemaining()) {
            throw new SnapshotException(
                    file + " is cut off: it ends in its head, after " + bytes.position() + " bytes");
        }
        if (bytes.getInt(CRC_AT) != crc(head)) {
            throw new SnapshotException(file + " is broken: the checksum of its head is another one");
        }
        Head read = decoded(bytes.position(16));
        if (read.indexOffset + read.slots() * SLOT_BYTES != read.length) {
            throw new SnapshotException(file + " is broken: its index does not end where the file does");
        }
        if (channel.size() != read.length) {
            throw new SnapshotException(file + " is cut off or longer than it was: it had " + read.length
                    + " bytes, has " + channel.size());
        }
        return read;
    }

    private static Head decoded(ByteBuffer head) {
        long version = head.getLong();
        long createdAt = head.getLong();
        long records = head.getLong();
        long length = head.getLong();
        long indexOffset = head.getLong();
        int slotBits = head.getInt();
        int largestBlock = head.getInt();
        int dataCrc = head.getInt();
        int indexCrc = head.getInt();
        String name = text(head);
        String keys = text(head);
        return new Head(
                name,
                keys,
                text(head),
                version,
                createdAt,
                records,
                length,
                indexOffset,
                slotBits,
                largestBlock,
                dataCrc,
                indexCrc);
    }

    private static String text(ByteBuffer head) {
        byte[] bytes = new byte[head.getShort()];
        head.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int crc(byte[] head) {
        CRC32C crc = new CRC32C();
        crc.update(head, 0, CRC_AT);
        return (int) crc.getValue();
    }

    /** How many slots the index has. */
    long slots() {
        return 1L << slotBits;
    }
}
