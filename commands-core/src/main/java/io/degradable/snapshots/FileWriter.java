package io.degradable.snapshots;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Writes one file, in the form that {@link Head} draws: records first, then the index, and the head, which makes a snapshot
 * of it, last. Not for several threads.
 */
final class FileWriter implements AutoCloseable {

    /** A lookup uncompresses one block, so this is what it costs; larger ones compress better. */
    static final int BLOCK_BYTES = 2_048;

    /** Of one record: keys and values are in memory as a whole. */
    static final int LARGEST_RECORD = 16 << 20;

    private static final int BUFFER_BYTES = 256 << 10;

    private final Disk disk;
    private final FileChannel channel;
    private final KeyHash hash;
    private final Index index = new Index();
    private final Deflater deflater = new Deflater();
    private final Block block = new Block(BLOCK_BYTES * 2);
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private final CRC32C crc = new CRC32C();
    private byte[] compressed = new byte[BLOCK_BYTES * 2];
    private int largestBlock;

    /** Where the bytes in the buffer go. */
    private long bufferAt = Head.BYTES;

    FileWriter(Disk disk, Path file, KeyHash hash) throws IOException {
        this.disk = disk;
        this.hash = hash;
        this.channel = disk.create(file);
    }

    /** Bytes so far, without what is not compressed yet. */
    long bytes() {
        return bufferAt + buffer.position();
    }

    long records() {
        return index.records();
    }

    /**
     * Adds a record.
     *
     * @return false when there is one under the same key
     */
    boolean add(byte[] key, byte[] value) throws IOException {
        // A record begins where 16 bits can say it; a long one fills a block of its own to the end, or most of one.
        if (block.length() > 0 && block.length() + key.length + value.length > BLOCK_BYTES) {
            endBlock();
        }
        long position = bytes() << 16 | block.length();
        if (!index.add(hash.of(key), position, key, this::isAt)) {
            return false;
        }
        block.add(key, value);
        return true;
    }

    private void endBlock() throws IOException {
        deflater.reset();
        deflater.setInput(block.bytes(), 0, block.length());
        deflater.finish();
        int length = 0;
        while (!deflater.finished()) {
            if (length == compressed.length) {
                compressed = java.util.Arrays.copyOf(compressed, length * 2);
            }
            length += deflater.deflate(compressed, length, compressed.length - length);
        }
        ByteBuffer lengths = ByteBuffer.allocate(2 * Integer.BYTES);
        lengths.putInt(block.length()).putInt(length);
        append(lengths.array(), lengths.capacity());
        append(compressed, length);
        largestBlock = Math.max(largestBlock, block.length());
        block.clear();
    }

    private void append(byte[] bytes, int length) throws IOException {
        crc.update(bytes, 0, length);
        int done = 0;
        while (done < length) {
            if (!buffer.hasRemaining()) {
                flush();
            }
            int part = Math.min(length - done, buffer.remaining());
            buffer.put(bytes, done, part);
            done += part;
        }
    }

    private void flush() throws IOException {
        int length = buffer.flip().remaining();
        disk.write(channel, buffer, bufferAt);
        bufferAt += length;
        buffer.clear();
    }

    /** Reads back what has the same hash, which nearly always is the same key. */
    private boolean isAt(long position, byte[] key) throws IOException {
        long blockAt = position >>> 16;
        if (blockAt == bytes()) {
            block.goTo((int) position & 0xFFFF);
            return block.nextIs(key);
        }
        flush();
        ByteBuffer lengths = read(blockAt, 2 * Integer.BYTES);
        Block raw = new Block(lengths.getInt());
        raw.reset(lengths.getInt(0));
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(read(blockAt + 2 * Integer.BYTES, lengths.getInt()));
            int inflated = inflater.inflate(raw.bytes(), 0, raw.length());
            if (inflated != raw.length()) {
                throw new IOException("what was just written is " + inflated + " bytes long, was " + raw.length());
            }
        } catch (DataFormatException broken) {
            throw new IOException("what was just written cannot be read", broken);
        } finally {
            inflater.end();
        }
        raw.goTo((int) position & 0xFFFF);
        return raw.nextIs(key);
    }

    private ByteBuffer read(long at, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, at + bytes.position()) < 0) {
                throw new IOException("what was just written is not there");
            }
        }
        return bytes.flip();
    }

    /** Writes the rest, the head last, and waits until the disk has it. */
    Head finish(SnapshotSpec<?, ?> spec, long version, long createdAtEpochNanos) throws IOException {
        if (block.length() > 0) {
            endBlock();
        }
        int dataCrc = (int) crc.getValue();
        long indexOffset = bytes();
        crc.reset();
        byte[] some = new byte[Head.SLOT_BYTES << 10]; // the index never has fewer slots
        ByteBuffer slots = ByteBuffer.wrap(some);
        for (long half : index.slots()) {
            slots.putLong(half);
            if (!slots.hasRemaining()) {
                append(some, some.length);
                slots.clear();
            }
        }
        flush();
        Head head = new Head(
                spec.name(),
                spec.keys().name(),
                spec.values().name(),
                version,
                createdAtEpochNanos,
                index.records(),
                bytes(),
                indexOffset,
                index.bits(),
                largestBlock,
                dataCrc,
                (int) crc.getValue());
        disk.write(channel, head.encoded(), 0);
        disk.force(channel);
        return head;
    }

    @Override
    public void close() throws IOException {
        deflater.end();
        channel.close();
    }
}
